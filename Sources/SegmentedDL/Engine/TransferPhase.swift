/// The state of a `CurlTransfer`: the part of the response that is awaited, and the caller that waits for it.
enum TransferPhase {
    /// Receives the head, or the failure, on the engine's thread. It must not block.
    typealias Opening = @Sendable (Result<OpenedResponse, any Error>) -> Void

    /// The sink for the body, and the caller that waits for its end.
    struct Receiver {
        let sink: any BodySink
        let continuation: CheckedContinuation<TransferReport, Never>
    }

    /// The request has been or will be sent, and no head is complete except those of interim responses (1xx).
    case awaitingHead(Opening)
    /// The head is complete, and is held back until the deadline, for a body short enough to be delivered
    /// with it.
    case prefetching(Opening, ResponseHead, deadline: Double)
    /// The caller has the head but has not requested the body; libcurl pauses at its first bytes.
    case headDelivered
    /// The body is delivered to a sink.
    case receiving(Receiver)
    /// The sink has enough bytes, so libcurl will end the transfer.
    case satisfied(Receiver)
    /// libcurl has ended the transfer, but the caller has not requested the body.
    case endedUnclaimed(TransferReport)
    /// The transfer has ended, and its caller has been notified.
    case ended

    /// True when libcurl no longer processes the transfer.
    var isEnded: Bool {
        switch self {
        case .endedUnclaimed, .ended: true
        case .awaitingHead, .prefetching, .headDelivered, .receiving, .satisfied: false
        }
    }

    /// The valid transitions.
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
    /// The loop's next step after it has attached a sink to a transfer.
    enum Attachment {
        /// Deliver the body.
        case wantsMore
        /// End the transfer: the bytes that arrived with the head were enough.
        case hasEnough
        /// Drop the transfer, which had already ended.
        case ended
    }

    /// The reason why the loop ends a transfer before libcurl does.
    enum Cause {
        /// The sink accepts no more bytes.
        case cut
        /// The caller's task was cancelled, or the engine stops.
        case cancelled
    }
}
