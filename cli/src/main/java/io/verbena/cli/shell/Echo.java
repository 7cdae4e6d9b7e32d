package io.verbena.cli.shell;

import jdk.jshell.ExpressionSnippet;
import jdk.jshell.MethodSnippet;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.TypeDeclSnippet;
import jdk.jshell.VarSnippet;

/** What a snippet that was evaluated came to, in the words of jshell. */
final class Echo {
    private Echo() {}

    /** One line or several; empty when there is nothing to say. */
    static String of(SnippetEvent event) {
        String undefined = event.status() == Snippet.Status.VALID ? "" : ", which needs what is not defined yet";
        return switch (event.snippet()) {
            case VarSnippet variable when undefined.isEmpty() -> variable.name() + " ==> " + event.value();
            case VarSnippet variable -> created(event) + "variable " + variable.name() + undefined;
            case ExpressionSnippet expression -> expression.name() + " ==> " + event.value();
            case MethodSnippet method ->
                    created(event) + "method " + method.name() + '(' + method.parameterTypes() + ')' + undefined;
            case TypeDeclSnippet type -> created(event) + kind(type) + ' ' + type.name() + undefined;
            default -> "";
        };
    }

    private static String created(SnippetEvent event) {
        return event.previousStatus().isDefined() ? "|  replaced " : "|  created ";
    }

    private static String kind(TypeDeclSnippet type) {
        return switch (type.subKind()) {
            case INTERFACE_SUBKIND -> "interface";
            case ENUM_SUBKIND -> "enum";
            case RECORD_SUBKIND -> "record";
            case ANNOTATION_TYPE_SUBKIND -> "annotation interface";
            default -> "class";
        };
    }
}
