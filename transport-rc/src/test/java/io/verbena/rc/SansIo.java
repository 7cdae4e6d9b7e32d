package io.verbena.rc;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.constant.ClassDesc;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What a class file of this module may refer to: everything by which time, threads or chance could enter is out. */
final class SansIo {
    /** Packages that can be used, without their subpackages, except for what is listed below. */
    private static final Set<String> PACKAGES = Set.of(
            "java.lang",
            "java.lang.annotation",
            "java.lang.foreign",
            "java.lang.invoke",
            "java.lang.runtime",
            "java.nio",
            "java.util",
            "java.util.concurrent.atomic",
            "java.util.function",
            "java.util.stream",
            "java.util.zip",
            "org.agrona",
            "org.agrona.collections");

    /** Single types of other packages. */
    private static final Set<String> TYPES = Set.of(
            "java.util.concurrent.ConcurrentHashMap",
            "org.agrona.concurrent.AtomicBuffer",
            "org.agrona.concurrent.UnsafeBuffer");

    /** Types of those packages that are refused. */
    private static final Set<String> REFUSED_TYPES = Set.of(
            "java.lang.InheritableThreadLocal",
            "java.lang.Process",
            "java.lang.ProcessBuilder",
            "java.lang.ProcessHandle",
            "java.lang.Runtime",
            "java.lang.ScopedValue",
            "java.lang.ThreadLocal",
            "java.util.Calendar",
            "java.util.Date",
            "java.util.Random",
            "java.util.ServiceLoader",
            "java.util.SplittableRandom",
            "java.util.Timer",
            "java.util.TimerTask",
            "java.util.UUID",
            "org.agrona.IoUtil",
            "org.agrona.SystemUtil");

    /** The only members of types that otherwise are refused. */
    private static final Set<String> MEMBERS = Set.of(
            "java.lang.System.arraycopy",
            "java.lang.System.identityHashCode",
            "java.lang.Thread.onSpinWait");

    /** Members of accepted types that are refused. */
    private static final Set<String> REFUSED_MEMBERS = Set.of(
            "java.lang.Boolean.getBoolean",
            "java.lang.Integer.getInteger",
            "java.lang.Long.getLong",
            "java.lang.Math.random",
            "java.lang.Object.notify",
            "java.lang.Object.notifyAll",
            "java.lang.Object.wait",
            "java.lang.StrictMath.random",
            "java.util.Collections.shuffle");

    private SansIo() {}

    /** The names in a class file that this module may not use. */
    static Set<String> refused(byte[] classFile) {
        var model = ClassFile.of().parse(classFile);
        var refused = new TreeSet<String>();
        model.constantPool().forEach(entry -> {
            if (entry instanceof MemberRefEntry member) {
                var name = member.owner().name().stringValue().replace('/', '.') + "." + member.name().stringValue();
                if (!acceptsMember(name)) {
                    refused.add(name);
                }
            } else if (entry instanceof ClassEntry type && !acceptsType(type.asSymbol())) {
                refused.add(nameOf(type.asSymbol()));
            }
        });
        descriptors(model)
                .filter(type -> !acceptsType(type) || nameOf(type).equals("java.lang.Thread"))
                .forEach(type -> refused.add(nameOf(type)));
        return refused;
    }

    /** The types in the signatures of fields and methods, which no other entry need mention. */
    private static Stream<ClassDesc> descriptors(ClassModel model) {
        var fields = model.fields().stream().map(f -> f.fieldTypeSymbol());
        var methods = model.methods().stream().map(m -> m.methodTypeSymbol());
        var parts = methods.flatMap(m -> Stream.concat(Stream.of(m.returnType()), m.parameterList().stream()));
        return Stream.concat(fields, parts);
    }

    private static boolean acceptsMember(String name) {
        var owner = name.substring(0, name.lastIndexOf('.'));
        return switch (owner) {
            case "java.lang.System", "java.lang.Thread" -> MEMBERS.contains(name);
            default -> !REFUSED_MEMBERS.contains(name);
        };
    }

    private static boolean acceptsType(ClassDesc type) {
        var name = nameOf(type);
        // A class is named wherever a static method of it is called; acceptsMember looks at those.
        if (name.equals("java.lang.System") || name.equals("java.lang.Thread")) {
            return true;
        }
        var outermost = name.indexOf('$') < 0 ? name : name.substring(0, name.indexOf('$'));
        var dot = name.lastIndexOf('.');
        return dot < 0
                || name.startsWith("io.verbena.")
                || TYPES.contains(outermost)
                || PACKAGES.contains(name.substring(0, dot)) && !REFUSED_TYPES.contains(outermost);
    }

    private static String nameOf(ClassDesc type) {
        var element = type;
        while (element.isArray()) {
            element = element.componentType();
        }
        return element.isPrimitive() ? element.displayName() : element.packageName() + "." + simpleNameOf(element);
    }

    private static String simpleNameOf(ClassDesc type) {
        var descriptor = type.descriptorString();
        return descriptor.substring(descriptor.lastIndexOf('/') + 1, descriptor.length() - 1);
    }
}
