import Dispatch
import SegmentedDL
import SegmentedDLOptions
import SegmentedDLSupport
import SystemPackage

/// The programs that aria2 starts on events of a file (aria2's manual, Event Hook).
struct Aria2Hooks: Sendable, Equatable {
    enum Event: String, Sendable {
        case start, complete, error, stop
    }

    private let programs: [Event: String]

    init(_ values: Aria2Values) {
        var programs: [Event: String] = [:]
        for event in [Event.start, .complete, .error, .stop] {
            programs[event] = values.nonEmpty("on-download-\(event.rawValue)")
        }
        self.programs = programs
    }

    var isEmpty: Bool { programs.isEmpty }

    /// Returns the program for an event. The program for `stop` is used if the specific event has none.
    func program(for event: Event) -> String? {
        event == .start ? programs[.start] : programs[event] ?? programs[.stop]
    }

    /// Starts the program of an event with the gid, the number of files and the path. As in aria2, the
    /// download does not wait for it.
    func run(_ event: Event, _ download: Aria2Download, path: FilePath?) {
        guard let program = program(for: event) else { return }
        // Use the shell, because it searches PATH.
        let command = [
            "/bin/sh", "-c", "exec \"$0\" \"$@\"", program, "\(download.gid)", "1", path?.string ?? "",
        ]
        do {
            let id = try ProcessGroup.start(command, output: .standardError)
            BlockingThreads.waiting.run { _ = ProcessGroup.wait(for: id) }
        } catch {
            StandardError.write("segdl: '\(program)' cannot be started: \(error).\n")
        }
    }
}
