import Foundation
import TestSupport

/// The library that injects faults into the real command's file system calls (`shim.c`), compiled once per
/// test run.
enum Shim {
    struct DoesNotCompile: Error {
        var errors: String
    }

    /// The fault to inject, and the counted call at which it is injected.
    struct Fault: Sendable {
        enum Kind: Sendable {
            case failure(Int32)
            case short
            case killBefore
            case killAfter
            case stopAfter
            /// A sync that takes this many milliseconds, drops the last written data, and reports it once.
            case lose(after: Int)
            /// A call that takes this many milliseconds longer.
            case slow(Int)
        }

        var kind: Kind
        var call: Int
        /// The calls to count; all if empty.
        var only: [String] = []
        /// Count only calls for files whose names end with this.
        var file: String?
        /// True to inject it into every call from that one on.
        var isLasting = false
    }

    static let reason = "needs Linux and a C compiler: the shim is loaded with LD_PRELOAD"

    static let isAvailable: Bool = {
        #if os(Linux)
            FileManager.default.isExecutableFile(atPath: compiler)
        #else
            false
        #endif
    }()

    private static let compiler = "/usr/bin/cc"

    private static let directory = Task { try TemporaryDirectory() }

    private static let library = Task {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "shim.c")
        let path = try await directory.value.file("shim.so")
        let result = try await ChildProcess(
            compiler, ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", path, source.path, "-ldl"]
        ).result()
        guard result.status == 0 else { throw DoesNotCompile(errors: result.errors) }
        return path
    }

    /// The environment that makes segdl run with a fault.
    ///
    /// - Parameters:
    ///   - watched: The directory whose calls are counted.
    ///   - log: The file in which they are logged.
    ///   - boot: A file that is read as the boot's identity.
    static func environment(
        watching watched: String, log: String, _ fault: Fault? = nil, boot: String? = nil
    ) async throws -> [String: String] {
        var environment = [
            "LD_PRELOAD": try await library.value, "SHIM_DIRECTORY": watched, "SHIM_LOG": log,
        ]
        environment["SHIM_BOOT"] = boot
        guard let fault else { return environment }
        environment["SHIM_AT"] = String(fault.call)
        environment["SHIM_DO"] =
            switch fault.kind {
            case .failure(let number): "errno:\(number)"
            case .short: "short"
            case .killBefore: "kill-before"
            case .killAfter: "kill-after"
            case .stopAfter: "stop-after"
            case .lose: "lose"
            case .slow: "slow"
            }
        if !fault.only.isEmpty { environment["SHIM_ONLY"] = fault.only.joined(separator: ",") }
        switch fault.kind {
        case .lose(let delay), .slow(let delay): environment["SHIM_DELAY"] = String(delay)
        default: break
        }
        environment["SHIM_FILE"] = fault.file
        if fault.isLasting { environment["SHIM_ALWAYS"] = "1" }
        return environment
    }
}
