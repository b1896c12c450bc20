# Sourced by ./run: the Debian package of the server, what is inside, and its test in a bare Debian system.

# What `external-purchase --version` prints stands here and nowhere else.
program_version() {
    sed -nE 's/.*static let version = "([^"]+)".*/\1/p' Sources/CommandLine/CommandSupport/CommandRun.swift
}

release_usage() {
    cat <<'TEXT'
usage: ./run release [--version VERSION] [--verify]

  --version VERSION   the version of the package: the program's (the default), or that with a suffix,
                      such as 0.1.0~rc1 or 0.1.0-2
  --verify            installs the package in a bare Debian system (debootstrap, as root), runs the
                      service there and does what docs/production.md says; skipped where that cannot be
                      had, with PACKAGE=required it fails
  --verify-only       the same with a package that was made before
TEXT
}

# The flags decide what is compiled: other flags in the same folder compile everything anew.
release_scratch=.build/release-static
# release_build PRODUCT [OPTION…]
release_build() {
    local product=$1
    shift
    # Paths of this machine stay out of the binary and of what it prints; the linker's flags make what it resolved
    # read-only and give the file of the symbols its key.
    swift build -c release --static-swift-stdlib --scratch-path "$release_scratch" --disable-local-rpath \
        -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=." \
        -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker --build-id=sha1 \
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

# make_package VERSION makes the folder .build/release-package with package, symbols, list of contents and checksums.
make_package() {
    local version=$1 architecture epoch maintainer output root name binary
    architecture=$(dpkg --print-architecture)
    # Every time in the package is that of the commit: the same commit and toolchain give the same bytes.
    epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || true)}
    if [ -z "$epoch" ]; then
        say "release: no commit gives the package its time; set SOURCE_DATE_EPOCH to seconds since 1970"
        exit 2
    fi
    export SOURCE_DATE_EPOCH=$epoch
    if [ -n "$(git status --porcelain 2>/dev/null)" ]; then
        say "release: the folder has changes that are in no commit; the package has the commit's time all the same"
    fi
    maintainer=$(git log -1 --format='%an <%ae>' 2>/dev/null || true)
    [ -z "${DEBEMAIL:-}" ] || maintainer="${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>"

    binary=$release_scratch/release/external-purchase
    output=.build/release-package
    root=$output/root
    name=external-purchase_${version}_$architecture
    rm -rf "$output"
    mkdir -p "$root"/usr/bin "$root"/usr/lib/systemd/system "$root"/etc/external-purchase \
        "$root"/usr/share/doc/external-purchase "$root"/DEBIAN

    # The symbols stay in a file of their own, which debuggers find by the build id.
    objcopy --only-keep-debug --compress-debug-sections "$binary" "$output/$name.debug"
    chmod 0644 "$output/$name.debug"
    strip --strip-all -o "$root/usr/bin/external-purchase" "$binary"
    chmod 0755 "$root/usr/bin/external-purchase"
    if readelf -d "$root/usr/bin/external-purchase" | grep -E 'NEEDED.*lib(swift|Foundation|_Foundation|dispatch|Blocks)'; then
        say "release: the binary asks for libraries of the Swift runtime, which should be linked in"
        exit 1
    fi
    if grep -q -F "$PWD/Sources" "$root/usr/bin/external-purchase"; then
        say "release: the binary has paths of this machine"
        exit 1
    fi

    python3 Scripts/bill_of_materials.py --product external-purchase --version "$version" --scratch "$release_scratch" \
        --binary "$root/usr/bin/external-purchase" --output "$output/external-purchase.cdx.json" \
        --copyright "$root/usr/share/doc/external-purchase/copyright"

    install -m 0644 Packaging/external-purchase.service "$root/usr/lib/systemd/system/"
    install -m 0644 Packaging/serve.yaml.example "$root/etc/external-purchase/"
    install -m 0644 README.md SECURITY.md "$output/external-purchase.cdx.json" "$root/usr/share/doc/external-purchase/"
    # Without the pages on the linter and the package's own README, whose name is taken.
    find docs -maxdepth 1 -name '*.md' ! -name README.md ! -name 'lint*.md' -exec \
        install -m 0644 -t "$root/usr/share/doc/external-purchase" {} +
    install -d "$root/usr/share/doc/external-purchase/runbooks"
    install -m 0644 docs/runbooks/*.md "$root/usr/share/doc/external-purchase/runbooks/"
    gzip -9n <CHANGELOG.md >"$root/usr/share/doc/external-purchase/changelog.gz"
    printf 'external-purchase (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' \
        "$version" "$maintainer" "$(LC_ALL=C date -u -R -d "@$epoch")" |
        gzip -9n >"$root/usr/share/doc/external-purchase/changelog.Debian.gz"

    install -m 0755 Packaging/debian/postinst Packaging/debian/prerm Packaging/debian/postrm "$root/DEBIAN/"
    install -m 0644 Packaging/debian/conffiles "$root/DEBIAN/"
    local dependencies size
    dependencies=$(package_dependencies "$PWD/$root/usr/bin/external-purchase")
    if [ -z "$dependencies" ]; then
        say "release: dpkg-shlibdeps does not say which packages the binary needs"
        exit 1
    fi
    size=$(du -k --apparent-size -s "$root" | cut -f 1)
    sed -e "s|@VERSION@|$version|" -e "s|@ARCHITECTURE@|$architecture|" -e "s|@MAINTAINER@|$maintainer|" \
        -e "s|@INSTALLED_SIZE@|$size|" -e "s|@DEPENDS@|$dependencies|" Packaging/debian/control >"$root/DEBIAN/control"
    (cd "$root" && find usr etc -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    chmod 0644 "$root/DEBIAN/control" "$root/DEBIAN/md5sums"
    find "$root" -type d -exec chmod 0755 {} +
    find "$root" -exec touch --no-dereference -d "@$epoch" {} +
    dpkg-deb --root-owner-group -Zxz --build "$root" "$output/$name.deb" >/dev/null
    rm -rf "$root"
    # The versions that were built: beside Package.swift, the next build takes the same ones.
    cp Package.resolved "$output/"
    (cd "$output" && sha256sum "$name.deb" "$name.debug" external-purchase.cdx.json Package.resolved >SHA256SUMS)
    say "made in $output:"
    (cd "$output" && ls -l -- *) | sed 's/^/    /' >&2
}

# check_packaging judges the files by their schemas; it is skipped without PyPI, unless PACKAGE=required.
check_packaging() {
    local tools=.build/package-tools
    if ! python_environment "$tools" Tests/Package/requirements.txt; then
        skip "release --verify, schemas" "${PACKAGE:-}"
        return
    fi
    "$tools/bin/python" Tests/Package/bill_of_materials.py .build/release-package/external-purchase.cdx.json
    "$tools/bin/check-jsonschema" --builtin-schema vendor.compose-spec Packaging/container/compose.yaml
    "$tools/bin/hadolint" Packaging/container/Dockerfile
    say "release --verify: CycloneDX file, compose file and Dockerfile are valid"
}

# verify_package installs the newest package in a bare Debian system and uses it there.
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
    at_most 1800 python3 Tests/Package/debian_root.py .build/release-package
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
            say "release: the package is made on Debian"
            exit 2
        fi
        install_prerequisites
        release_needs dpkg-deb dpkg
        release_needs dpkg-shlibdeps dpkg-dev
        release_needs objcopy binutils
        release_needs python3 python3
        version=$(package_version "$version")
        release_build external-purchase
        make_package "$version"
    fi
    if [ -n "$verify" ]; then
        check_packaging
        verify_package
    fi
}
