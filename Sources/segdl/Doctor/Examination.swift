import SegmentedDL
internal import SegmentedDLDatabase
import SystemPackage

/// An examination of the machine, the libraries, the settings and one directory.
struct Examination: Sendable {
    /// One descriptor for each of 64 connections, plus files and other sockets.
    private static let usualDescriptors: UInt64 = 256
    private static let year2024 = 1_704_067_200

    let directory: String
    let variable: @Sendable (String) -> String?
    var configuration = ConfigurationFile.usual
    /// A sentence about unusable stored options.
    var optionsFault: String?

    func report() -> MachineReport {
        var report = MachineReport()
        report.add("segdl", Version.current)
        addSystem(to: &report)
        addLibraries(to: &report)
        addAuthorities(to: &report)
        addSettings(to: &report)
        addDescriptors(to: &report)
        addDirectory(to: &report)
        addClock(to: &report)
        return report
    }

    // MARK: The machine

    private func addSystem(to report: inout MachineReport) {
        var names = utsname()
        uname(&names)
        let kernel = [
            Self.text(of: names.sysname), Self.text(of: names.release), Self.text(of: names.machine),
        ]
        let release = (try? TextFile.read("/etc/os-release")).flatMap(Self.prettyName)
        let cores = Plural.count(sysconf(Int32(_SC_NPROCESSORS_ONLN)), "core")
        report.add(
            "system",
            ([release] + [kernel.joined(separator: " "), cores]).compactMap { $0 }.joined(separator: ", "),
            advice: Self.lacksProc
                ? "Mount /proc (mount -t proc proc /proc): without it Swift's runtime may terminate segdl with SIGILL."
                : nil)
    }

    private static var lacksProc: Bool {
        #if os(Linux)
            access("/proc/self/stat", R_OK) != 0
        #else
            false
        #endif
    }

    /// Returns the name of a distribution (os-release(5)).
    static func prettyName(_ file: String) -> String? {
        let key = "PRETTY_NAME="
        guard let line = file.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix(key) }) else {
            return nil
        }
        let name = line.dropFirst(key.count).filter { $0 != "\"" }
        return name.isEmpty ? nil : name
    }

    private static func text<Characters>(of characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private func addDescriptors(to report: inout MachineReport) {
        var limit = rlimit()
        guard openFileLimit(&limit) == 0 else { return }
        let soft = UInt64(limit.rlim_cur)
        let hard = limit.rlim_max > 1 << 40 ? "no limit" : String(limit.rlim_max)
        report.add(
            "descriptors", "\(soft) of \(hard)",
            advice: soft < Self.usualDescriptors
                ? "Many connections need more open files; run ulimit -n \(Self.usualDescriptors * 4) first."
                : nil)
    }

    private func addClock(to report: inout MachineReport) {
        let now = time(nil)
        var parts = tm()
        var seconds = now
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        report.add(
            "clock", String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self),
            advice: now < Self.year2024 ? "The clock is wrong, so no certificate is valid; set it." : nil
        )
    }

    // MARK: The network

    private func addLibraries(to report: inout MachineReport) {
        let library = HTTPLibrary.current
        let contents = library.encodings.isEmpty ? "" : ", \(library.encodings.joined(separator: " "))"
        report.add(
            "libcurl",
            "\(library.version), \(library.tls), HTTP/\(library.hasHTTP2 ? "2" : "1.1")\(contents)",
            advice: library.resolvesInBackground
                ? nil : "This libcurl queries one name server at a time; use one with a threaded resolver."
        )
    }

    private func addAuthorities(to report: inout MachineReport) {
        let own = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].first { variable($0)?.isEmpty == false }
        guard let path = own.flatMap(variable) ?? HTTPLibrary.current.authorities else { return }
        let origin = own.map { " (\($0))" } ?? ""
        guard let text = try? TextFile.read(path), text.contains("-----BEGIN") else {
            let reason =
                own.map { "Set \($0) to a PEM file, or unset it." }
                ?? "Install the package ca-certificates, or set SSL_CERT_FILE to a PEM file."
            report.add("authorities", "none in \(path)\(origin)", advice: reason, failing: 2)
            return
        }
        let count = text.split(separator: "\n").count { $0.hasPrefix("-----BEGIN") }
        report.add("authorities", "\(Plural.count(count, "certificate")) in \(path)\(origin)")
    }

    // MARK: Settings

    private func addSettings(to report: inout MachineReport) {
        let proxies = [
            "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
        ]
        .filter { variable($0)?.isEmpty == false }
        // Their values may contain passwords.
        if !proxies.isEmpty { report.add("proxy", "set by \(proxies.joined(separator: ", "))") }
        guard configuration != .ignored else { return }
        let file = configuration.path(variable).flatMap { access($0, R_OK) == 0 ? $0 : nil }
        let options = [file, variable("SEGDL_OPTIONS").map { _ in "SEGDL_OPTIONS" }].compactMap { $0 }
        let origin = options.isEmpty ? "none" : "from \(options.joined(separator: ", "))"
        if let optionsFault {
            report.add("options", origin, advice: optionsFault, failing: 64)
        } else if !options.isEmpty {
            // Their values may be secrets.
            let names = ((try? configuration.options(variable)) ?? []).map(\.name)
            let shown = names.isEmpty ? "" : ": \(names.joined(separator: " "))"
            report.add("options", origin + shown)
        } else if let notice = configuration.notice(variable) {
            report.add("options", origin, advice: notice)
        }
    }

    // MARK: The directory

    private func addDirectory(to report: inout MachineReport) {
        guard let system = FileSystem(of: directory) else {
            report.add(
                "directory", "'\(directory)' does not exist", advice: "Create it, or specify another.",
                failing: 5)
            return
        }
        let free = ByteFormat.size(Int64(clamping: system.free))
        report.add(
            "directory", "'\(directory)' on \(system.name), \(free) free",
            advice: system.isOfNetwork
                ? "Locks and checkpoints are only as reliable as the file server; keep queues on a local disk."
                : nil)
        do throws(Errno) {
            add(try DirectoryAbilities(of: FilePath(directory)), to: &report)
            if DatabaseProbe.isRefused(in: FilePath(directory)) {
                report.add(
                    "", "no databases",
                    advice:
                        "A mirror and a queue cannot be here: mount it with a cache (rclone: --vfs-cache-mode writes)."
                )
            }
        } catch {
            report.add(
                "files", "cannot be created: \(error)", advice: "Choose a directory that you can write to.",
                failing: 5)
        }
    }

    private func add(_ abilities: DirectoryAbilities, to report: inout MachineReport) {
        let has = FileSystemFeature.allCases.filter { !abilities.lacks.contains($0) }.map(\.rawValue)
        report.add("files", has.isEmpty ? "can be created" : has.joined(separator: ", "))
        for feature in FileSystemFeature.allCases where abilities.lacks.contains(feature) {
            report.add(
                "", "no \(feature.rawValue)", advice: "This file system has none: \(feature.cost).")
        }
        if abilities.hasCoarseDates {
            report.add(
                "", "dates in steps of two seconds",
                advice: "A file matches the server's if its date differs by at most two seconds.")
        }
        if abilities.mergesLetters {
            report.add(
                "", "one name for 'A' and 'a'",
                advice: "If the names of two files differ only in case, the second download fails.")
        }
        if !abilities.refusedCharacters.isEmpty {
            report.add(
                "", "no names with \(abilities.refusedCharacters)",
                advice: "In names from servers, %XX is used instead.")
        }
    }
}
