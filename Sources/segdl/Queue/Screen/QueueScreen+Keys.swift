internal import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue

extension QueueScreen {
    /// Handles a key.
    ///
    /// - Returns: The change that the manager must make, if any.
    mutating func press(_ key: Key) -> Intent? {
        message = nil
        if let question {
            self.question = nil
            return key == .character("y") || key == .character("Y") ? question.intent : nil
        }
        if let page = helpPage {
            helpPage = page + 1 < helpPages ? page + 1 : nil
            return nil
        }
        return select(key) ? nil : act(key)
    }

    /// - Returns: True if the key selects or shows something.
    private mutating func select(_ key: Key) -> Bool {
        let page = max(1, ScreenRows(size.rows).list - 1)
        switch key {
        case .up, .character("k"): select(row: row - 1)
        case .down, .character("j"): select(row: row + 1)
        case .pageUp: select(row: row - page)
        case .pageDown, .character(" "): select(row: row + page)
        case .home, .character("g"): select(row: 0)
        case .end, .character("G"): select(row: listed.count - 1)
        case .character("a"): show(.all)
        case .character("u"): show(.unfinished)
        case .character("?"): helpPage = 0
        default: return false
        }
        return true
    }

    private mutating func act(_ key: Key) -> Intent? {
        switch key {
        case .character("q"): return .quit
        case .character("P"): return .pauseAll
        case .character("R"): return .resumeAll
        default: break
        }
        guard let selection else { return nil }
        switch key {
        case .character("p"): return pause(selection)
        case .character("r"): return start(selection)
        case .character("c"): cancel(selection)
        case .character("x"):
            ask("Remove", selection, "Its files are kept.", .remove(selection.id))
        case .character("s"):
            ask("Restart", selection, "All its bytes are fetched again.", .restart(selection.id))
        case .character("K"), .character("+"): return moveUp(selection)
        case .character("J"), .character("-"): return moveDown(selection)
        case .character("t"):
            move(from: listed[row], to: 0)
            return .moveToFront(selection.id)
        case .character("b"):
            move(from: listed[row], to: receipts.count - 1)
            return .moveToBack(selection.id)
        default: break
        }
        return nil
    }

    // MARK: Decisions

    private mutating func pause(_ receipt: Receipt) -> Intent? {
        guard receipt.state.isFinal || receipt.state == .paused else { return .pause(receipt.id) }
        note("\(name(receipt)) is \(receipt.state.rawValue) already.")
        return nil
    }

    private mutating func start(_ receipt: Receipt) -> Intent? {
        switch receipt.state {
        case .paused, .failed, .cancelled, .retrying: return .start(receipt.id)
        case .completed: note("\(name(receipt)) is complete; s downloads it again.")
        case .queued: note("\(name(receipt)) is queued; t moves it to the front.")
        case .probing, .downloading, .verifying, .finalizing: note("\(name(receipt)) is running already.")
        }
        return nil
    }

    private mutating func cancel(_ receipt: Receipt) {
        if receipt.state == .completed || receipt.state == .cancelled {
            note("\(name(receipt)) is \(receipt.state.rawValue) already.")
        } else {
            ask("Cancel", receipt, "Its bytes are kept.", .cancel(receipt.id))
        }
    }

    private mutating func ask(_ verb: String, _ receipt: Receipt, _ note: String, _ intent: Intent) {
        question = Question(verb: verb, name: name(receipt), note: note, intent: intent)
    }

    // MARK: Moving

    private mutating func moveUp(_ receipt: Receipt) -> Intent? {
        guard row > 0 else { return nil }
        let (place, before) = (listed[row], listed[row - 1])
        let other = receipts[before].id
        move(from: place, to: before)
        return .moveBefore(receipt.id, other)
    }

    /// Move the next one before this one, which moves this one down.
    private mutating func moveDown(_ receipt: Receipt) -> Intent? {
        guard row + 1 < listed.count else { return nil }
        let (place, after) = (listed[row], listed[row + 1])
        let other = receipts[after].id
        move(from: after, to: place)
        return .moveBefore(other, receipt.id)
    }
}
