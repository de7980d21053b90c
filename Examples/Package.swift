// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "SegmentedDL", path: ".."),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        .executableTarget(
            name: "ten-lines",
            dependencies: [
                .product(name: "SegmentedDL", package: "SegmentedDL"),
                .product(name: "SegmentedDLQueue", package: "SegmentedDL"),
            ]),
        .executableTarget(
            name: "until-terminated",
            dependencies: [
                .product(name: "SegmentedDL", package: "SegmentedDL"),
                .product(name: "SegmentedDLQueue", package: "SegmentedDL"),
            ]),
        .executableTarget(
            name: "as-before",
            dependencies: [
                .product(name: "SegmentedDL", package: "SegmentedDL"),
                .product(name: "SegmentedDLProgress", package: "SegmentedDL"),
                .product(name: "SegmentedDLQueue", package: "SegmentedDL"),
            ]),
        .executableTarget(
            name: "queue-twenty",
            dependencies: [
                .product(name: "SegmentedDL", package: "SegmentedDL"),
                .product(name: "SegmentedDLQueue", package: "SegmentedDL"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
    ]
)
