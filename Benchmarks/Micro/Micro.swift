import AllocationCount
import Benchmark

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What one job of a benchmark costs. The names of the files in `Thresholds/` contain the benchmarks' names.
let allocations = BenchmarkMetric.custom("allocations")

/// Nanoseconds of the process's CPU time, which others on the machine hardly change. The tool's own metric of it
/// counts hundredths of a second.
let cpuTime = BenchmarkMetric.custom("cpuNanoseconds")

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [allocations, cpuTime],
        warmupIterations: 3,
        maxDuration: .seconds(1),
        maxIterations: 200,
        thresholds: [
            // All runs have as many, except for what the process happens to do meanwhile.
            allocations: .init(relative: [.p90: 2.0]),
            // Machines differ, and others work on them: this finds what takes a multiple of its time.
            cpuTime: .init(relative: [.p90: 200.0]),
        ])
    planBenchmarks()
    rangeSetBenchmarks()
    manifestBenchmarks()
    sinkBenchmarks()
    schedulerBenchmarks()
    headerBenchmarks()
    checksumBenchmarks()
}

/// Registers a benchmark of a job, for which everything is made ready before it is measured.
///
/// - Parameters:
///   - prepare: Makes what the job works on, again for each time.
///   - job: What is measured. What it returns is used, so that the work is not optimised away.
func measure<Subject>(
    _ name: String, prepare: @escaping () throws -> Subject, job: @escaping (inout Subject) throws -> some Any
) {
    Benchmark(name) { benchmark in
        var subject = try prepare()
        benchmark.startMeasurement()
        let allocatedBefore = allocation_count()
        let cpuBefore = processTime()
        let result = try job(&subject)
        let cpu = processTime() - cpuBefore
        let allocated = allocation_count() - allocatedBefore
        benchmark.stopMeasurement()
        blackHole(result)
        benchmark.measurement(allocations, allocated)
        benchmark.measurement(cpuTime, cpu)
    }
}

/// As `measure(_:prepare:job:)`, for a job that needs nothing.
func measure(_ name: String, job: @escaping () throws -> some Any) {
    measure(name, prepare: {}, job: { (_: inout Void) in try job() })
}

private func processTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Random numbers that are the same each time.
struct SameNumbers: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 32)
    }
}
