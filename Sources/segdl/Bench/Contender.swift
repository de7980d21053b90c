import SegmentedDL
import SystemPackage

/// One way to download a file, as a command line.
struct Contender: Sendable, Hashable {
    enum Tool: String, Sendable, CaseIterable {
        case curl, aria2c, axel, wget2
    }

    enum Kind: Sendable, Hashable {
        case segdl(SegmentCount)
        case tool(Tool, path: String, connections: Int)
    }

    let kind: Kind

    var name: String {
        switch kind {
        case .segdl(.automatic): "segdl auto"
        case .segdl(.fixed(let count)): "segdl \(count)"
        case .tool(.curl, _, _): "curl"
        case .tool(let tool, _, let connections): "\(tool.rawValue) \(connections)"
        }
    }

    var isOurs: Bool {
        if case .segdl = kind { true } else { false }
    }

    /// Returns the arguments, the program first.
    ///
    /// - Parameters:
    ///   - file: The path of the file, in an empty directory.
    ///   - trace: The path of our command's trace.
    func command(
        _ url: String, _ access: BenchAccess, file: String, trace: String, durability: Durability
    ) -> [String] {
        let path = FilePath(file)
        let (directory, name) = (path.removingLastComponent().string, path.lastComponent?.string ?? "")
        switch kind {
        case .segdl(let count):
            let connections = max(16, count.number ?? 0)
            return [
                Self.own, "fetch", "--no-conf", "--progress", "json", "--trace", trace, "--durability",
                durability.rawValue,
                "-s", count.number.map(String.init) ?? "auto", "-x", "\(connections)", "-o", file, url,
            ] + access.arguments
        case .tool(.curl, let path, _):
            return [path, "-q", "-sS", "--fail", "-L", "-o", file, url] + access.arguments(of: .curl)
        case .tool(.aria2c, let path, let connections):
            return [
                path, "--no-conf", "-q", "-x\(min(connections, 16))", "-s\(connections)", "-k1M",
                "--file-allocation=falloc", "-d", directory, "-o", name, url,
            ] + access.arguments(of: .aria2c)
        case .tool(.axel, let path, let connections):
            return [path, "-q", "-n", "\(connections)", "-o", file, url] + access.arguments(of: .axel)
        case .tool(.wget2, let path, let connections):
            return [
                path, "--no-config", "-q", "--chunk-size=4M", "--max-threads=\(connections)", "-O", file, url,
            ] + access.arguments(of: .wget2)
        }
    }

    /// Returns the tools installed on this machine.
    static func found(_ tools: [Tool], connections: Int) -> [Contender] {
        tools.compactMap { tool in
            path(of: tool.rawValue).map {
                Contender(kind: .tool(tool, path: $0, connections: connections))
            }
        }
    }

    private static func path(of program: String) -> String? {
        let directories = (ProcessEnvironment.variable("PATH") ?? "/usr/bin:/bin").split(separator: ":")
        return directories.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }

    /// The path of this command.
    private static var own: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        if count > 0 { return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) }
        let name = ProcessArguments.name
        return name.contains("/") ? name : path(of: name) ?? name
    }
}

extension SegmentCount {
    var number: Int? {
        if case .fixed(let count) = self { count } else { nil }
    }
}
