/// The state of a `CurlTransfer`: which part of the response is awaited, and the caller that waits for it.
enum TransferPhase {
    typealias Opening = CheckedContinuation<OpenedResponse, any Error>

    /// The sink that takes the body, and the caller that waits for its end.
    struct Receiver {
        let sink: any BodySink
        let continuation: CheckedContinuation<TransferReport, Never>
    }

    /// The request is sent or about to be; no head is complete but those of interim responses (1xx).
    case awaitingHead(Opening)
    /// The head is complete, and is held back until the deadline for a body short enough to go along with it.
    case prefetching(Opening, ResponseHead, deadline: Double)
    /// The caller has the head and has not asked for the body; libcurl pauses at its first bytes.
    case headDelivered
    /// The body flows into a sink.
    case receiving(Receiver)
    /// The sink has all that it wants, and libcurl is about to end the transfer for that.
    case satisfied(Receiver)
    /// libcurl has ended the transfer, and the caller has not asked for the body.
    case endedUnclaimed(TransferReport)
    /// The transfer is over, and its caller knows.
    case ended

    /// True when libcurl no longer works on the transfer.
    var isEnded: Bool {
        switch self {
        case .endedUnclaimed, .ended: true
        case .awaitingHead, .prefetching, .headDelivered, .receiving, .satisfied: false
        }
    }

    /// All transitions there are.
    func mayBecome(_ next: TransferPhase) -> Bool {
        switch (self, next) {
        case (.awaitingHead, .prefetching), (.awaitingHead, .headDelivered), (.awaitingHead, .ended): true
        case (.prefetching, .headDelivered), (.prefetching, .endedUnclaimed), (.prefetching, .ended): true
        case (.headDelivered, .receiving), (.headDelivered, .endedUnclaimed), (.headDelivered, .ended): true
        case (.receiving, .satisfied), (.receiving, .ended): true
        case (.satisfied, .ended), (.endedUnclaimed, .ended): true
        default: false
        }
    }
}

extension CurlTransfer {
    /// The next step of the loop after it has attached a sink to a transfer.
    enum Attachment {
        /// Let the body flow.
        case wantsMore
        /// End the transfer: the bytes that came along with the head were all that the sink wants.
        case hasEnough
        /// Forget the transfer, which had ended before.
        case ended
    }

    /// The reason for which the loop ends a transfer before libcurl does.
    enum Cause {
        /// The sink wants no more.
        case cut
        /// The caller's task was cancelled, or the engine stops.
        case cancelled
    }
}
