import Dispatch
internal import SegmentedDLMirror
import SegmentedDLSupport

/// The keys of a terminal, read on a separate queue.
///
/// `@unchecked Sendable`: the decoder and its counter are accessed only on the queue.
final class Keyboard: @unchecked Sendable {
    /// The timeout for the rest of a sequence after a lone ESC.
    private static let patience = DispatchTimeInterval.milliseconds(50)

    let keys: AsyncStream<Key>
    private let continuation: AsyncStream<Key>.Continuation
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "segdl.keyboard")
    private let source = Lock<(any DispatchSourceRead)?>(nil)
    private var decoder = KeyDecoder()
    private var reads = 0

    init(descriptor: Int32) {
        self.descriptor = descriptor
        (keys, continuation) = AsyncStream.makeStream()
    }

    func start() {
        source.withLock { source in
            let new = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            new.setEventHandler { [weak self] in self?.readKeys() }
            new.resume()
            source = new
        }
    }

    func stop() {
        source.withLock { source in
            source?.cancel()
            source = nil
        }
        continuation.finish()
    }

    private func readKeys() {
        guard FullScreen.isForeground(descriptor) else {
            // The typed bytes are meant for the shell, which will read them soon.
            usleep(100_000)
            return
        }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 {
            reads += 1
            send(decoder.decode(buffer[..<count]))
            awaitMore()
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            // The terminal has closed.
            stop()
        }
    }

    /// Ends a sequence if no further bytes arrive soon.
    private func awaitMore() {
        guard decoder.isPending else { return }
        queue.asyncAfter(deadline: .now() + Self.patience) { [weak self, reads] in
            guard let self, reads == self.reads else { return }
            self.send(self.decoder.tick())
            self.awaitMore()
        }
    }

    private func send(_ keys: [Key]) {
        for key in keys { continuation.yield(key) }
    }
}
