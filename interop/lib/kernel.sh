# shellcheck shell=bash
# Packages: what the host needs, and a kernel with rdma_rxe for the guest, which is unpacked and never installed.
# Sourced by run.

need_packages=(qemu-system-x86 busybox-static ibverbs-utils ibverbs-providers libibverbs-dev iproute2 kmod socat xz-utils
    zstd gcc libc6-dev)

missing_packages() {
    local package
    for package in "${need_packages[@]}"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
    done
}

install_packages() {
    local missing
    command -v dpkg-query >/dev/null || no_rxe "this is neither Debian nor Ubuntu"
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]} > 0)) || return 0
    [[ $install == yes ]] || no_rxe "these packages are missing: ${missing[*]}"
    say "installing ${missing[*]}"
    quietly apt-get -q update || true
    DEBIAN_FRONTEND=noninteractive quietly apt-get -q -y --no-install-recommends install "${missing[@]}" ||
        no_rxe "can't install ${missing[*]} (see $state/log)"
}

# The packages of the distribution's usual kernel: one on Debian, image and modules on Ubuntu.
kernel_packages() {
    local meta
    for meta in ${INTEROP_KERNEL:-linux-image-amd64 linux-image-generic}; do
        apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
            --no-enhances "$meta" 2>/dev/null |
            grep -E '^linux-(image|modules|modules-extra)-[0-9]' | sort -u | grep . && return 0
    done
    return 1
}

# Sets kernel to the folder with boot/vmlinuz-* and lib/modules, which it downloads the first time.
get_kernel() {
    local packages part
    kernel=$state/kernel
    [[ -e $kernel/complete ]] && return 0
    [[ $install == yes ]] || no_rxe "the guest's kernel has not been downloaded (interop/run --prepare does)"
    quietly apt-get -q update || true
    mapfile -t packages < <(kernel_packages)
    ((${#packages[@]} > 0)) || no_rxe "apt-cache knows no kernel package (INTEROP_KERNEL names one)"
    say "downloading ${packages[*]}"
    rm -rf "$kernel" "$state/packages"
    mkdir -p "$kernel/usr/lib" "$state/packages"
    ln -s usr/lib "$kernel/lib"
    (cd "$state/packages" && quietly apt-get -q -o APT::Sandbox::User=root download "${packages[@]}") ||
        no_rxe "can't download ${packages[*]} (see $state/log)"
    for part in "$state/packages"/*.deb; do
        dpkg-deb --fsys-tarfile "$part" | tar -x -C "$kernel" --keep-directory-symlink \
            --exclude='*/kernel/sound' --exclude='*/kernel/drivers/gpu' --exclude='*/kernel/drivers/media' \
            --exclude='*/net/wireless' --exclude='*/net/ethernet' --exclude='*/usr/share'
    done
    rm -rf "$state/packages"
    depmod -b "$kernel" "$(kernel_version)"
    [[ -n $(modules_of rdma_rxe) ]] || no_rxe "${packages[*]} have no module rdma_rxe"
    touch "$kernel/complete"
}

kernel_version() { basename "$kernel"/lib/modules/*; }

# The files of a module and of those it needs, in the order to load them; nothing for one that is built in.
modules_of() {
    modprobe -d "$kernel" -S "$(kernel_version)" --show-depends "$1" 2>/dev/null | sed -n 's/^insmod \([^ ]*\).*/\1/p'
}

# The first files of the guest: just enough to mount the host's.
make_initrd() {
    local folder=$run/initrd module file
    mkdir -p "$folder/bin" "$folder/modules"
    for module in virtio_pci 9pnet_virtio 9p; do
        modules_of "$module"
    done | while read -r module; do
        file=$(basename "$module")
        case $file in # busybox loads plain ones only
            *.xz) file=${file%.xz} && xz -dc "$module" >"$folder/modules/$file" ;;
            *.zst) file=${file%.zst} && zstd -q -dc "$module" >"$folder/modules/$file" ;;
            *) cp "$module" "$folder/modules/" ;;
        esac
        grep -qxs "$file" "$folder/modules/order" || echo "$file" >>"$folder/modules/order"
    done
    cp /bin/busybox "$folder/bin/"
    install -m 755 "$interop/guest/init" "$folder/init"
    printf "interop='%s'\nkernel='%s'\n" "$interop" "$kernel" >"$folder/settings"
    (cd "$folder" && find . | busybox cpio -o -H newc 2>/dev/null) >"$run/initrd.cpio"
    rm -rf "$folder"
}
