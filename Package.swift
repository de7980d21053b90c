// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The library's modules, as the tests import them.
let library: [Target.Dependency] = [
    "SegmentedDL", "SegmentedDLQueue", "SegmentedDLMirror", "SegmentedDLProgress", "SegmentedDLDatabase",
    "SegmentedDLSupport",
]

let package = Package(
    name: "SegmentedDL",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SegmentedDL", targets: ["SegmentedDL"]),
        .library(name: "SegmentedDLQueue", targets: ["SegmentedDLQueue"]),
        .library(name: "SegmentedDLMirror", targets: ["SegmentedDLMirror"]),
        .library(name: "SegmentedDLProgress", targets: ["SegmentedDLProgress"]),
        .executable(name: "segdl", targets: ["segdl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CSegCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CSegCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CSegXML", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .systemLibrary(
            name: "CSegSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(name: "CSegSystem"),
        .target(name: "SegmentedDLSupport", swiftSettings: strict),
        .target(
            name: "SegmentedDL",
            dependencies: [
                "CSegCurl",
                "CSegCrypto",
                "CSegSystem",
                "CSegXML",
                "SegmentedDLSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .target(
            name: "SegmentedDLDatabase",
            dependencies: [
                "CSegSQLite", "SegmentedDL", "SegmentedDLSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "SegmentedDLQueue",
            dependencies: [
                "SegmentedDL", "SegmentedDLDatabase", "SegmentedDLSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .target(
            name: "SegmentedDLMirror",
            dependencies: [
                "SegmentedDL", "SegmentedDLDatabase", "SegmentedDLSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .target(
            name: "SegmentedDLProgress", dependencies: ["SegmentedDL", "SegmentedDLQueue"],
            swiftSettings: strict),
        .executableTarget(
            name: "segdl",
            dependencies: [
                "SegmentedDL", "SegmentedDLQueue", "SegmentedDLMirror", "SegmentedDLDatabase",
                "SegmentedDLSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(name: "TestContent", path: "Tests/TestContent", swiftSettings: strict),
        .executableTarget(
            name: "TestServer", dependencies: ["TestContent", "SegmentedDLSupport"], path: "Tests/TestServer",
            exclude: ["README.md"], swiftSettings: strict),
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        .target(
            name: "TestSupport",
            dependencies: library + [
                "TestContent", "CSpawn",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "SegmentedDLSupportTests", dependencies: ["SegmentedDLSupport", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "SegmentedDLTests",
            dependencies: library + [
                "TestContent", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SegmentedDLDatabaseTests",
            dependencies: library + [
                "TestContent", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Fixtures"], swiftSettings: strict),
        .testTarget(
            name: "SegmentedDLQueueTests",
            dependencies: library + [
                "TestContent", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SegmentedDLMirrorTests",
            dependencies: library + [
                "TestContent", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Listings/Recorded"], swiftSettings: strict),
        .testTarget(
            name: "segdlTests",
            dependencies: library + [
                "TestSupport", "segdl",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DownloadTests",
            dependencies: library + [
                "TestContent", "TestSupport", "TestServer", "segdl",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/EndToEnd/Download", swiftSettings: strict),
        .testTarget(
            name: "QueueTests",
            dependencies: library + [
                "TestContent", "TestSupport", "TestServer", "segdl",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/EndToEnd/Queue", swiftSettings: strict),
        .testTarget(
            name: "MirrorTests",
            dependencies: library + [
                "TestContent", "TestSupport", "TestServer", "segdl",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/EndToEnd/Mirror", swiftSettings: strict),
        .testTarget(
            name: "CommandTests",
            dependencies: library + [
                "TestContent", "TestSupport", "TestServer", "segdl",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/EndToEnd/Command", swiftSettings: strict),
        .testTarget(
            name: "FaultTests",
            dependencies: library + [
                "TestContent", "TestSupport", "TestServer", "segdl",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/Faults", exclude: ["Disk/shim.c"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
