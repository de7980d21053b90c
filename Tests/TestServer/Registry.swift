import SegmentedDLSupport

/// All cases. Requests without `case=` share the case with the empty name.
final class Registry: Sendable {
    private let cases = Lock<[String: CaseState]>([:])
    private let lastSerial = Lock(0)
    private let logFile: LogFile?
    let listener: Listener

    init(logFile: LogFile?, listener: Listener) {
        self.logFile = logFile
        self.listener = listener
    }

    func state(ofCase name: String) -> CaseState {
        cases.withLock { cases in
            if let known = cases[name] { return known }
            let new = CaseState()
            cases[name] = new
            return new
        }
    }

    func nextSerial() -> Int {
        lastSerial.withLock { serial in
            serial += 1
            return serial
        }
    }

    func finish(_ record: RequestRecord, in state: CaseState, isComplete: Bool) {
        if state.finish(record, isComplete: isComplete) {
            logFile?.append(record.json.text + "\n")
        }
    }

    /// Active requests continue, but are no longer counted.
    func forget(case name: String?) {
        cases.withLock { cases in
            if let name { cases[name] = nil } else { cases = [:] }
        }
    }

    /// The requests of one case or of all, in the order received.
    func log(ofCase name: String?) -> JSON {
        let states = name.map { [state(ofCase: $0)] } ?? cases.withLock { Array($0.values) }
        return .array(states.flatMap(\.records).sorted { $0.origin.serial < $1.origin.serial }.map(\.json))
    }
}
