import SegmentedDLSupport
import Testing

@Suite("A stream of samples", .timeLimit(.minutes(1)))
struct SampledStreamTests {
    @Test("omits repeated and missing values, and ends with the last one")
    func values() async {
        let samples = Lock([1, 1, nil, 2, 2, 3])
        let stream = AsyncStream<Int>.sampled(every: .zero) {
            samples.withLock { samples in
                let value = samples.removeFirst()
                return (value, isLast: samples.isEmpty)
            }
        } until: {
            try? await Task.sleep(for: .seconds(3600))
        }
        var values: [Int] = []
        for await value in stream { values.append(value) }
        #expect(values == [1, 2, 3])
    }

    @Test("samples when its reader asks, and at once when the end is due")
    func reader() async {
        let (value, end) = (Lock(1), AsyncEvent())
        let stream = AsyncStream<Int>.sampled(every: .seconds(3600)) {
            value.withLock { ($0, isLast: $0 == 3) }
        } until: {
            await end.wait()
        }
        var iterator = stream.makeAsyncIterator()
        value.withLock { $0 = 2 }
        #expect(await iterator.next() == 2)
        value.withLock { $0 = 3 }
        end.send()
        #expect(await iterator.next() == 3)
        #expect(await iterator.next() == nil)
    }

    @Test("waits for any interval without a crash", arguments: [Duration.seconds(Int64.max), .seconds(1e12)])
    func longInterval(_ interval: Duration) async {
        let (value, end) = (Lock(1), AsyncEvent())
        let stream = AsyncStream<Int>.sampled(every: interval) {
            value.withLock { ($0, isLast: $0 == 2) }
        } until: {
            await end.wait()
        }
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        value.withLock { $0 = 2 }
        end.send()
        #expect(await iterator.next() == 2)
    }

    @Test("ends when its reader is cancelled")
    func cancellation() async {
        let first = AsyncEvent()
        let reader = Task {
            let stream = AsyncStream<Int>.sampled(every: .seconds(3600)) {
                (1, isLast: false)
            } until: {
                try? await Task.sleep(for: .seconds(3600))
            }
            var count = 0
            for await _ in stream {
                count += 1
                first.send()
            }
            return count
        }
        await first.wait()
        reader.cancel()
        #expect(await reader.value == 1)
    }
}
