# Sourced by ./run: the packages for Debian, other Linux systems, Python and Node, what is inside, and their test in a bare
# Debian system.

# What `external-purchase --version` prints stands here and nowhere else.
program_version() {
    sed -nE 's/.*static let version = "([^"]+)".*/\1/p' Sources/CommandLine/CommandSupport/CommandRun.swift
}

release_usage() {
    cat <<'TEXT'
usage: ./run release [--version VERSION] [--verify]

  --version VERSION   the version of the packages: the program's (the default), or that with a suffix:
                      0.1.0~rc1 comes before 0.1.0, and 0.1.0-2 is the second .deb of 0.1.0
  --verify            installs the packages in a bare Debian system (debootstrap, as root), runs the
                      service there and does what docs/production.md says; skipped where that cannot be
                      had, with PACKAGE=required it fails
  --verify-only       the same with packages that were made before
TEXT
}

# The flags decide what is compiled: other flags in the same folder compile everything anew.
release_scratch=.build/release-static
# shellcheck disable=SC2016 # The loader replaces it by the folder of the binary.
release_run_path='$ORIGIN/../lib/external-purchase'
release_output=.build/release-package
# release_build PRODUCT [OPTION…]
release_build() {
    local product=$1
    shift
    # Paths of this machine stay out of the binary and of what it prints. Macros write sources into the folder for temporary
    # files, which is therefore below the package: a map of another folder would be in the names of the caches of compiled
    # headers, which stand in debugging information and in the hash of each module. Those names have no times of files, which
    # every clone has others of. The linker's flags make what it resolved read-only and give the file of the symbols its
    # key. The run path is where packages bring SQLite, for systems that have none; the same binary is in every package.
    local -x TMPDIR=$PWD/$release_scratch/temporary
    mkdir -p "$TMPDIR"
    swift build -c release --static-swift-stdlib --scratch-path "$release_scratch" --disable-local-rpath \
        -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=." \
        -Xcc -Xclang -Xcc -fno-pch-timestamp \
        -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker --build-id=sha1 \
        -Xlinker -rpath -Xlinker "$release_run_path" \
        --product "$product" "$@" 1>&2
}

# release_needs TOOL PACKAGE ends the script when a tool is missing.
release_needs() {
    command -v "$1" >/dev/null && return
    say "release: $1 is missing (Debian: $2)"
    exit 2
}

# package_dependencies BINARY prints what dpkg-shlibdeps finds, such as "libc6 (>= 2.34), libsqlite3-0 (>= 3.36.0)".
package_dependencies() {
    local folder
    folder=$(mktemp -d)
    mkdir "$folder/debian"
    printf 'Source: external-purchase\n\nPackage: external-purchase\nArchitecture: any\n' >"$folder/debian/control"
    (cd "$folder" && dpkg-shlibdeps -O -e"$1" 2>"$folder/log") | sed -n 's/^shlibs:Depends=//p'
    rm -rf "$folder"
}

# package_version VERSION prints the version of the package, and ends the script where it is not one of the program's.
package_version() {
    local version=$1 program
    program=$(program_version)
    [ -n "$version" ] || version=$program
    case "$version" in
    "$program" | "$program"[~+-]*) ;;
    *)
        say "release: --version $version is not the program's version $program, nor that with a suffix (~, + or -)"
        exit 2
        ;;
    esac
    if ! dpkg --validate-version "$version" 2>/dev/null; then
        say "release: '$version' is no version of a Debian package; one looks like $program-1"
        exit 2
    fi
    printf '%s' "$version"
}

# release_time exports SOURCE_DATE_EPOCH: every time in the packages is that of the commit, so that the same commit and
# toolchain give the same bytes.
release_time() {
    local epoch=${SOURCE_DATE_EPOCH:-}
    [ -n "$epoch" ] || epoch=$(git log -1 --format=%ct 2>/dev/null || true)
    if [ -z "$epoch" ]; then
        say "release: no commit gives the packages their time; set SOURCE_DATE_EPOCH to seconds since 1970"
        exit 2
    fi
    export SOURCE_DATE_EPOCH=$epoch
    if [ -n "$(git status --porcelain 2>/dev/null)" ]; then
        say "release: the folder has changes that are in no commit; the packages have the commit's time all the same"
    fi
}

# timeless FOLDER gives every file and folder in it the time of the commit, and folders the mode 0755.
timeless() {
    find "$1" -type d -exec chmod 0755 {} +
    find "$1" -exec touch --no-dereference -d "@$SOURCE_DATE_EPOCH" {} +
}

# pack FOLDER NAME FILE writes the folder's entry NAME as a .tar.gz: in order, of root, with the commit's time.
pack() {
    tar --create --directory "$1" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
        --mtime="@$SOURCE_DATE_EPOCH" "$2" | gzip -n >"$3"
}

# make_tree VERSION TREE SYMBOLS makes the folder that every package takes its files from: binary, SQLite for systems
# without it, completions, manual pages, licences and list of contents.
make_tree() {
    local version=$1 tree=$2 binary=$release_scratch/release/external-purchase program library documents
    program=$tree/bin/external-purchase
    documents=$tree/share/doc/external-purchase
    mkdir -p "$tree"/bin "$tree"/share/man/man1 "$tree"/share/bash-completion/completions \
        "$tree"/share/zsh/site-functions "$tree"/share/fish/vendor_completions.d "$documents"

    # The symbols stay in a file of their own, which debuggers find by the build id.
    objcopy --only-keep-debug --compress-debug-sections "$binary" "$3"
    chmod 0644 "$3"
    strip --strip-all -o "$program" "$binary"
    chmod 0755 "$program"
    if readelf -d "$program" | grep -E 'NEEDED.*lib(swift|Foundation|_Foundation|dispatch|Blocks)'; then
        say "release: the binary asks for libraries of the Swift runtime, which should be linked in"
        exit 1
    fi
    if ! readelf -d "$program" | grep -q -F "RUNPATH)            Library runpath: [$release_run_path]"; then
        say "release: the binary does not look for SQLite in its package"
        exit 1
    fi
    if grep -q -F "$PWD/Sources" "$program"; then
        say "release: the binary has paths of this machine"
        exit 1
    fi

    "$program" --generate-completion-script bash >"$tree/share/bash-completion/completions/external-purchase"
    "$program" --generate-completion-script zsh >"$tree/share/zsh/site-functions/_external-purchase"
    "$program" --generate-completion-script fish >"$tree/share/fish/vendor_completions.d/external-purchase.fish"
    "$program" --experimental-dump-help | python3 Scripts/manual_pages.py --version "$version" --output "$tree/share/man/man1"
    python3 Scripts/bill_of_materials.py --product external-purchase --version "$version" --scratch "$release_scratch" \
        --binary "$program" --output "$documents/external-purchase.cdx.json" --copyright "$documents/copyright"
    # From here on the binary takes this SQLite.
    library=$(ldd "$binary" | sed -n 's/.*libsqlite3\.so\.0 => \(\S*\).*/\1/p')
    install -D -m 0644 "$library" "$tree/lib/external-purchase/libsqlite3.so.0"
    [ ! -e /usr/share/doc/libsqlite3-0/copyright ] ||
        install -m 0644 /usr/share/doc/libsqlite3-0/copyright "$documents/libsqlite3-copyright"
    install -m 0644 docs/install.md Packaging/prometheus/external-purchase.rules.yml "$documents/"
    find "$tree/share" -type f -exec chmod 0644 {} +
    timeless "$tree"
}

# make_debian_package VERSION TREE FILE makes the package of the server.
make_debian_package() {
    local version=$1 tree=$2 root=$release_output/root maintainer documents dependencies size
    maintainer=$(git log -1 --format='%an <%ae>' 2>/dev/null || true)
    [ -z "${DEBEMAIL:-}" ] || maintainer="${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>"
    documents=$root/usr/share/doc/external-purchase
    mkdir -p "$root"/usr/lib/systemd/system "$root"/etc/external-purchase "$root"/DEBIAN
    # Debian's own SQLite is a dependency.
    cp -r "$tree/bin" "$tree/share" "$root/usr/"
    rm -f "$documents/libsqlite3-copyright"
    mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
    find "$root/usr/share/man" -type f -exec gzip -9n {} +

    install -m 0644 Packaging/external-purchase.service "$root/usr/lib/systemd/system/"
    install -m 0644 Packaging/serve.yaml.example "$root/etc/external-purchase/"
    install -m 0644 README.md SECURITY.md "$documents/"
    # Without the pages on the linter and the package's own README, whose name is taken.
    find docs -maxdepth 1 -name '*.md' ! -name README.md ! -name 'lint*.md' -exec install -m 0644 -t "$documents" {} +
    install -d "$documents/runbooks"
    install -m 0644 docs/runbooks/*.md "$documents/runbooks/"
    gzip -9n <CHANGELOG.md >"$documents/changelog.gz"
    printf 'external-purchase (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' \
        "$version" "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" |
        gzip -9n >"$documents/changelog.Debian.gz"

    install -m 0755 Packaging/debian/postinst Packaging/debian/prerm Packaging/debian/postrm "$root/DEBIAN/"
    install -m 0644 Packaging/debian/conffiles "$root/DEBIAN/"
    dependencies=$(package_dependencies "$PWD/$root/usr/bin/external-purchase")
    if [ -z "$dependencies" ]; then
        say "release: dpkg-shlibdeps does not say which packages the binary needs"
        exit 1
    fi
    size=$(du -k --apparent-size -s "$root" | cut -f 1)
    sed -e "s|@VERSION@|$version|" -e "s|@ARCHITECTURE@|$(dpkg --print-architecture)|" -e "s|@MAINTAINER@|$maintainer|" \
        -e "s|@INSTALLED_SIZE@|$size|" -e "s|@DEPENDS@|$dependencies|" Packaging/debian/control >"$root/DEBIAN/control"
    (cd "$root" && find usr etc -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    chmod 0644 "$root/DEBIAN/control" "$root/DEBIAN/md5sums"
    timeless "$root"
    dpkg-deb --root-owner-group -Zxz --build "$root" "$3" >/dev/null
    rm -rf "$root"
}

# make_npm_package VERSION TREE FILE makes the package for Node; the suffix ~rc1 is -rc1 there.
make_npm_package() {
    local tree=$2 root=$release_output/node package=$release_output/node/package machine
    case "$(uname -m)" in
    x86_64) machine=x64 ;;
    aarch64) machine=arm64 ;;
    *) machine=$(uname -m) ;;
    esac
    mkdir -p "$package/licenses" "$package/program"
    install -m 0644 Packaging/node/index.js Packaging/node/index.d.ts Packaging/node/README.md "$package/"
    sed -e "s|\"version\": \"0.0.0\"|\"version\": \"${1/\~/-}\"|" -e "s|\"cpu\": \[\"x64\"\]|\"cpu\": [\"$machine\"]|" \
        Packaging/node/package.json >"$package/package.json"
    cp -r "$tree/bin" "$tree/lib" "$package/program/"
    install -m 0644 LICENSE "$package/LICENSE"
    install -m 0644 "$tree"/share/doc/external-purchase/*copyright "$package/licenses/"
    install -m 0644 "$tree/share/doc/external-purchase/external-purchase.cdx.json" "$package/"
    chmod 0644 "$package/package.json"
    timeless "$root"
    pack "$root" package "$3"
    rm -rf "$root"
}

# make_image NAME builds the container image from the archive, by buildah and without an engine, on a base that debootstrap makes.
# It is skipped where that cannot be had, unless IMAGE=required. Debian's files in it are those of the day.
make_image() {
    local name=$1 work=$PWD/.build/image buildah container suite
    reason=
    if [ "$(id -u)" != 0 ]; then
        reason="a base of Debian needs root"
    elif ! command -v buildah >/dev/null || ! command -v debootstrap >/dev/null; then
        reason="buildah or debootstrap is not installed (Debian: buildah debootstrap)"
    fi
    [ -z "$reason" ] || { skip "release, container image" "${IMAGE:-}"; return; }
    rm -rf "$work"
    mkdir -p "$work" .build/debian-packages
    suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release | tr -d '"')
    if ! debootstrap --variant=minbase --cache-dir="$PWD/.build/debian-packages" "$suite" "$work/base" \
        "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$work/log.txt" 2>&1; then
        reason="debootstrap failed (.build/image/log.txt)"
        skip "release, container image" "${IMAGE:-}"
        return
    fi
    rm -rf "$work"/base/var/cache/apt/* "$work"/base/var/lib/apt/lists/* "$work"/base/var/log/* "$work"/base/etc/hostname \
        "$work"/base/etc/resolv.conf
    buildah=(buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs)
    container=$("${buildah[@]}" from scratch)
    # As an archive, which keeps owners and modes.
    tar --create --file "$work/base.tar" --directory "$work/base" .
    "${buildah[@]}" add "$container" "$work/base.tar" / >>"$work/log.txt" 2>&1
    "${buildah[@]}" config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
    "${buildah[@]}" commit --quiet --rm "$container" localhost/base >>"$work/log.txt" 2>&1
    "${buildah[@]}" build --isolation chroot --network host --pull-never --build-arg BASE=localhost/base \
        --timestamp "$SOURCE_DATE_EPOCH" --tag localhost/external-purchase --file Packaging/container/Dockerfile \
        "$release_output" >>"$work/log.txt" 2>&1
    "${buildah[@]}" push --quiet localhost/external-purchase "oci-archive:$release_output/$name.oci.tar:external-purchase" \
        >>"$work/log.txt" 2>&1
    rm -rf "$work"
}

# make_packages VERSION makes the folder .build/release-package with packages, symbols, list of contents and checksums.
make_packages() {
    local version=$1 plain name debian
    # The suffix -2 counts packages for Debian of the same program.
    plain=${version%%-*}
    name=external-purchase-$plain-linux-$(uname -m)
    debian=external-purchase_${version}_$(dpkg --print-architecture)
    release_time
    rm -rf "$release_output"
    mkdir -p "$release_output/tree"
    make_tree "$version" "$release_output/tree/$name" "$release_output/$debian.debug"
    install -m 0644 "$release_output/tree/$name/share/doc/external-purchase/external-purchase.cdx.json" "$release_output/"
    pack "$release_output/tree" "$name" "$release_output/$name.tar.gz"
    make_debian_package "$version" "$release_output/tree/$name" "$release_output/$debian.deb"
    python3 Scripts/wheel.py --version "$plain" --tree "$release_output/tree/$name" --output "$release_output" >/dev/null
    make_npm_package "$plain" "$release_output/tree/$name" "$release_output/external-purchase-${plain/\~/-}.tgz"
    rm -rf "$release_output/tree"
    make_image "$name"
    # The versions that were built: beside Package.swift, the next build takes the same ones.
    cp Package.resolved "$release_output/"
    (cd "$release_output" && sha256sum -- * >SHA256SUMS)
    say "made in $release_output:"
    (cd "$release_output" && ls -l -- *) | sed 's/^/    /' >&2
}

# check_packaging judges the files by their schemas; it is skipped without PyPI, unless PACKAGE=required.
check_packaging() {
    local tools=.build/package-tools
    if ! python_environment "$tools" Tests/Package/requirements.txt; then
        skip "release --verify, schemas" "${PACKAGE:-}"
        return
    fi
    "$tools/bin/python" Tests/Package/bill_of_materials.py "$release_output/external-purchase.cdx.json"
    "$tools/bin/check-jsonschema" --builtin-schema vendor.compose-spec Packaging/container/compose.yaml
    "$tools/bin/hadolint" Packaging/container/Dockerfile
    check_wheel "$tools/bin"
    check_types
    check_github
    say "release --verify: the files of the packages are valid"
}

# check_wheel TOOLS: that the wheel's platform is the oldest that its binaries run on, that PyPI would take it, and its types.
check_wheel() {
    local wheel platform
    wheel=$(ls "$release_output"/*.whl)
    platform=${wheel##*-none-}
    if ! PATH=$1:$PATH "$1/auditwheel" show "$wheel" | tr '\n' ' ' | grep -q -F "platform tag: \"${platform%.whl}\""; then
        say "release --verify: auditwheel finds another platform for $wheel"
        "$1/auditwheel" show "$wheel" >&2
        return 1
    fi
    "$1/twine" check --strict "$wheel" >&2
    "$1/mypy" --strict --cache-dir .build/package-tools/mypy Packaging/python/src/external_purchase >&2
}

# check_types compiles the types of the Node package, and a test that uses them, by Debian's node-typescript.
check_types() {
    reason="node is not installed"
    if ! command -v node >/dev/null || ! debian_program node-typescript usr/share/nodejs/typescript/lib/tsc.js; then
        skip "types of the Node package" "${PACKAGE:-}"
        return
    fi
    node "$program" --noEmit --strict --lib es2020 --target es2020 --moduleResolution node Tests/Package/node/types.ts
}

# verify_package installs the newest packages in a bare Debian system and uses them there.
verify_package() {
    reason=
    if [ "$(id -u)" != 0 ]; then
        reason="installing a Debian system needs root"
    elif ! command -v debootstrap >/dev/null; then
        reason="debootstrap is not installed"
    elif ! command -v python3 >/dev/null; then
        reason="python3 is not installed"
    fi
    [ -z "$reason" ] || { skip "release --verify" "${PACKAGE:-}"; return; }
    at_most 1800 python3 Tests/Package/debian_root.py "$release_output"
    at_most 1800 python3 Tests/Package/language_root.py "$release_output"
    Tests/Package/github/action.sh "$release_output"
    if compgen -G "$release_output/*.oci.tar" >/dev/null; then
        at_most 900 python3 Tests/Package/image_root.py "$release_output"
    else
        reason="./run release made none"
        skip "release --verify, container image" "${IMAGE:-}"
    fi
}

release() {
    local version='' verify='' build=yes
    while [ $# -gt 0 ]; do
        case "$1" in
        --version)
            [ $# -gt 1 ] || { say "release: --version needs a version, such as $(program_version)-1"; exit 2; }
            version=$2
            shift
            ;;
        --verify) verify=yes ;;
        --verify-only) verify=yes build= ;;
        --help | -h) release_usage; return ;;
        *)
            say "release: unknown option '$1'"
            release_usage >&2
            exit 2
            ;;
        esac
        shift
    done
    if [ -n "$build" ]; then
        if [ "$(uname -s)" != Linux ]; then
            say "release: the packages are made on Debian"
            exit 2
        fi
        install_prerequisites
        release_needs dpkg-deb dpkg
        release_needs dpkg-shlibdeps dpkg-dev
        release_needs objcopy binutils
        release_needs python3 python3
        version=$(package_version "$version")
        release_build external-purchase
        make_packages "$version"
    fi
    if [ -n "$verify" ]; then
        check_packaging
        verify_package
    fi
}
