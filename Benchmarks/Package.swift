// swift-tools-version: 6.2
import PackageDescription

// `Scripts/bench --micro` builds and runs it: internal types are measured, so SegmentedDL is built with
// -enable-testing.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "SegmentedDL", path: ".."),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        // Without its traits: they are libraries of its own to count allocations with, which AllocationCount
        // does.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .target(name: "AllocationCount", path: "AllocationCount"),
        .executableTarget(
            name: "Micro",
            dependencies: [
                "AllocationCount",
                .product(name: "SegmentedDL", package: "SegmentedDL"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Micro",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ]
)
