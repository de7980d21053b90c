import Foundation
import TestSupport
import Testing

/// A repository made by Debian's own tools, and apt, which installs from its mirror.
@Suite("A Debian repository")
struct DebianTests {
    private static let missing = [
        "/usr/bin/dpkg-deb", "/usr/bin/apt-ftparchive", "/usr/bin/apt-get", "/usr/bin/gpg", "/usr/bin/xz",
    ].filter { !FileManager.default.isExecutableFile(atPath: $0) }
    private static let reason = Comment(rawValue: "not installed: \(missing.joined(separator: ", "))")

    /// Builds a version of the packages `tool` and `tool-data`, the first of which depends on the second, and
    /// the indexes of a suite. `$1` is the version, `$2` the packing, `$3` the name of the Release file.
    private static let script = #"""
        set -e
        architecture=$(dpkg --print-architecture)
        rm -rf pool
        mkdir -p pool/main/t
        for name in tool tool-data; do
            tree=$(mktemp -d)
            chmod 755 "$tree"
            mkdir -p "$tree/DEBIAN" "$tree/usr/share/$name"
            head -c 200000 /dev/urandom >"$tree/usr/share/$name/data"
            { printf 'Package: %s\nVersion: %s\nArchitecture: all\n' "$name" "$1"
              printf 'Maintainer: Test <test@example.org>\nDescription: a test\n'
              [ "$name" = tool-data ] || echo "Depends: tool-data (= $1)"; } >"$tree/DEBIAN/control"
            dpkg-deb --build --root-owner-group "$tree" "pool/main/t/${name}_${1}_all.deb" >/dev/null
            rm -rf "$tree"
        done
        suite=dists/stable
        indexes=$suite/main/binary-$architecture
        mkdir -p "$indexes"
        rm -f "$indexes"/Packages* $suite/*Release*
        apt-ftparchive packages pool >"$indexes/Packages"
        case $2 in
            xz) xz -k "$indexes/Packages" ;;
            gz) gzip -k "$indexes/Packages" ;;
        esac
        apt-ftparchive -o APT::FTPArchive::Release::Components=main -o APT::FTPArchive::Release::Codename=stable \
            -o "APT::FTPArchive::Release::Architectures=$architecture" \
            -o APT::FTPArchive::DoByHash=true release $suite >new
        # As in Debian, the plain index is listed, and not there.
        rm "$indexes/Packages"
        if [ "$3" = Release ]; then
            mv new $suite/Release
        else
            export GNUPGHOME=$4
            mkdir -p -m 700 "$4"
            [ -e "$4/key.gpg" ] || gpg --batch --quiet --passphrase '' --quick-generate-key test@example.org rsa2048 sign
            gpg --batch --export >"$4/key.gpg"
            gpg --batch --quiet --clearsign --output $suite/InRelease new
            gpgconf --kill gpg-agent
            rm new
        fi
        """#

    private let server: Nginx
    /// Serves the mirror, which is `copy` in its root.
    private let mirror: Nginx
    private let directory: TemporaryDirectory

    init() async throws {
        (server, mirror) = (try await Nginx(), try await Nginx())
        directory = try TemporaryDirectory()
    }

    /// - Returns: The packages by name.
    private func publish(
        _ version: String, packing: String = "xz", release: String
    ) async throws -> [String: [UInt8]] {
        let end = try await ChildProcess(
            "/bin/sh", ["-c", Self.script, "sh", version, packing, release, directory.file("gpg")],
            directory: server.root.path
        ).result()
        try #require(end.status == 0, "\(end.errors)")
        let names = ["tool", "tool-data"].map { "\($0)_\(version)_all.deb" }
        return Dictionary(
            uniqueKeysWithValues: try names.map { ($0, try server.root.read("pool/main/t/\($0)")) })
    }

    private func run(_ arguments: String...) async throws -> (end: ChildProcess.Result, requests: [String]) {
        let before = server.accessLog.count
        let end = try await Segdl.run(
            ["mirror", "--format", "debian", "--retries", "1", "--retry-delay", "0.01"] + arguments
                + [server.url("dists/stable/"), mirror.root.file("copy")], in: directory)
        let requests = server.accessLog.dropFirst(before).map { line in
            String(
                line.split(separator: "\"").dropFirst().first?.split(separator: " ").dropFirst().first ?? "")
        }
        return (end, requests)
    }

    /// Runs apt with its own state, ignoring the machine's.
    private func apt(_ arguments: String..., option: String) async throws -> ChildProcess.Result {
        for name in ["lists/partial", "archives/partial", "etc/none", "etc/preferences.d", "log"] {
            try directory.makeDirectory("apt/\(name)")
        }
        if !directory.exists("apt/status") { try directory.write("", to: "apt/status") }
        try directory.write(
            "deb [\(option)] \(mirror.url("copy/")) stable main\n", to: "apt/etc/sources.list")
        let root = directory.file("apt")
        try directory.write(
            """
            Dir "\(root)";
            Dir::State "\(root)"; Dir::State::lists "\(root)/lists"; Dir::State::status "\(root)/status";
            Dir::Cache "\(root)"; Dir::Cache::archives "\(root)/archives"; Dir::Log "\(root)/log";
            Dir::Etc "\(root)/etc"; Dir::Etc::parts "none"; Dir::Etc::sourcelist "\(root)/etc/sources.list";
            Dir::Etc::sourceparts "none"; APT::Sandbox::User ""; Acquire::http::Proxy "DIRECT";
            Acquire::Languages "none";
            """, to: "apt/apt.conf")
        return try await ChildProcess(
            "/usr/bin/apt-get", ["-q", "-y"] + arguments,
            environment: ["APT_CONFIG": directory.file("apt/apt.conf"), "LC_ALL": "C"]
        ).result()
    }

    /// Runs apt to update, and to fetch a package with its dependencies from the mirror.
    private func install(_ packages: [String: [UInt8]], option: String) async throws {
        let update = try await apt("update", option: option)
        #expect(
            update.status == 0 && !update.errors.contains("W:"), "\(update.output)\(update.errors)")
        let install = try await apt("install", "--download-only", "tool", option: option)
        #expect(install.status == 0, "\(install.output)\(install.errors)")
        for (name, bytes) in packages { #expect(try directory.read("apt/archives/\(name)") == bytes) }
        try directory.remove("apt/archives")
    }

    @Test(
        "apt installs from its mirror, before and after an update, and while one fails",
        .enabled(if: missing.isEmpty, reason))
    func signed() async throws {
        let option = "signed-by=\(directory.file("gpg/key.gpg"))"
        let old = try await publish("1.0", release: "InRelease")
        let first = try await run()
        #expect(first.end.status == 0, "\(first.end.errors)")
        try await install(old, option: option)
        let again = try await run()
        #expect(again.end.status == 0 && again.requests == ["/dists/stable/InRelease"], "\(again.requests)")

        let new = try await publish("2.0", release: "InRelease")
        try server.root.rename("pool/main/t/tool_2.0_all.deb", to: "tool.deb")
        let failed = try await run("--delete")
        #expect(failed.end.status == 1, "\(failed.end.errors)")
        #expect(failed.end.errors.contains("were left unchanged"), "\(failed.end.errors)")
        try await install(old, option: option)

        try server.root.rename("tool.deb", to: "pool/main/t/tool_2.0_all.deb")
        let second = try await run("--delete", "--component", "main")
        #expect(second.end.status == 0, "\(second.end.errors)")
        try await install(new, option: option)
        #expect(!mirror.root.exists("copy/pool/main/t/tool_1.0_all.deb"))
    }

    @Test(
        "a Release file without a signature and a gzip index work, too",
        .enabled(if: missing.isEmpty, reason))
    func unsigned() async throws {
        let packages = try await publish("1.0", packing: "gz", release: "Release")
        let first = try await run()
        #expect(first.end.status == 0, "\(first.end.errors)")
        try await install(packages, option: "trusted=yes")
        let verified = try await Segdl.run(
            ["verify", "copy/SHA256SUMS"], in: mirror.root)
        #expect(verified.status == 0, "\(verified.errors)")
        let others = try await run("--arch", "none")
        #expect(
            others.end.status != 0 && others.end.errors.contains("no architecture 'none'"),
            "\(others.end.errors)")
    }

    @Test("options that would omit files are refused, and a repository outside the URL")
    func refused() async throws {
        let filtered = try await run("--include", "*.deb")
        #expect(filtered.end.status != 0 && filtered.end.errors.contains("leave out --include"))
        let other = try await Segdl.run(
            ["mirror", "--suite", "stable", server.url(""), "copy"], in: directory)
        #expect(other.status != 0 && other.errors.contains("add --format debian"), "\(other.errors)")
    }
}
