// swift-tools-version: 6.2
import PackageDescription

// What a program pays that only downloads: Scripts/sizes builds it as a user would.
let package = Package(
    name: "CoreSize",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "SegmentedDL", path: "../..")],
    targets: [
        .executableTarget(
            name: "one-download", dependencies: [.product(name: "SegmentedDL", package: "SegmentedDL")])
    ]
)
