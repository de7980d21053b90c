// swift-tools-version: 6.2
import PackageDescription

/// Returns a program on modules of the library.
func program(_ name: String, on modules: String...) -> Target {
    .executableTarget(
        name: name, dependencies: modules.map { .product(name: $0, package: "SegmentedDL") })
}

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "SegmentedDL", path: "..")],
    targets: [
        program("ten-lines", on: "SegmentedDL", "SegmentedDLQueue"),
        program("until-terminated", on: "SegmentedDL", "SegmentedDLQueue"),
        program("queue-twenty", on: "SegmentedDL", "SegmentedDLQueue"),
        program("as-before", on: "SegmentedDL", "SegmentedDLProgress", "SegmentedDLQueue"),
        program("one-file", on: "SegmentedDL"),
        program("mirror-again", on: "SegmentedDL", "SegmentedDLMirror"),
        program("model-downloader", on: "SegmentedDL", "SegmentedDLMirror", "SegmentedDLQueue"),
        .testTarget(
            name: "ModelDownloaderTests",
            dependencies: [
                "model-downloader", .product(name: "SegmentedDLTesting", package: "SegmentedDL"),
            ]),
    ]
)
