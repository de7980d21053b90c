// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// `Scripts/build-release` has the modules that move no bytes built for size, which saves 0.4 MB. This is not always so,
/// because a package with such flags cannot be a dependency.
let small: [SwiftSetting] = Context.environment["SEGDL_SMALL"] == nil ? [] : [.unsafeFlags(["-Osize"])]

/// The library's modules, as the tests import them.
let library: [Target.Dependency] = [
    "SegmentedDL", "SegmentedDLQueue", "SegmentedDLMirror", "SegmentedDLProgress", "SegmentedDLServer",
    "SegmentedDLObservation", "SegmentedDLTesting", "SegmentedDLDatabase", "SegmentedDLSupport",
    "SegmentedDLOptions",
]

/// The programs that end-to-end tests run.
let binaries: [Target.Dependency] = ["TestServer", "segdl"]

func tests(
    _ name: String, in path: String? = nil, needs: [Target.Dependency] = [], exclude: [String] = [],
    settings: [SwiftSetting] = []
) -> Target {
    .testTarget(
        name: name,
        dependencies: library + [
            "TestContent", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
        ] + needs,
        path: path, exclude: exclude, swiftSettings: strict + settings)
}

let package = Package(
    name: "SegmentedDL",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SegmentedDL", targets: ["SegmentedDL"]),
        .library(name: "SegmentedDLQueue", targets: ["SegmentedDLQueue"]),
        .library(name: "SegmentedDLMirror", targets: ["SegmentedDLMirror"]),
        .library(name: "SegmentedDLProgress", targets: ["SegmentedDLProgress"]),
        .library(name: "SegmentedDLObservation", targets: ["SegmentedDLObservation"]),
        .library(name: "SegmentedDLTesting", targets: ["SegmentedDLTesting"]),
        .executable(name: "segdl", targets: ["segdl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .systemLibrary(
            name: "CSegCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CSegCrypto", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CSegXML", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .systemLibrary(
            name: "CSegSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(name: "CSegSystem"),
        .target(name: "CSegTLS", dependencies: ["CSegCrypto"]),
        .target(name: "CSegUnpack"),
        .target(name: "SegmentedDLSupport", swiftSettings: strict),
        .target(
            name: "SegmentedDL",
            dependencies: [
                "CSegCurl",
                "CSegCrypto",
                "CSegSystem",
                "CSegTLS",
                "CSegXML",
                "SegmentedDLSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .target(
            name: "SegmentedDLOptions", dependencies: ["SegmentedDL"], swiftSettings: strict + small),
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
            ],
            swiftSettings: strict + small),
        .target(
            name: "SegmentedDLMirror",
            dependencies: [
                "CSegUnpack", "SegmentedDL", "SegmentedDLDatabase", "SegmentedDLOptions",
                "SegmentedDLSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: strict + small),
        .target(
            name: "SegmentedDLProgress", dependencies: ["SegmentedDL", "SegmentedDLQueue"],
            swiftSettings: strict),
        .target(
            name: "SegmentedDLObservation", dependencies: ["SegmentedDL", "SegmentedDLQueue"],
            swiftSettings: strict),
        .target(
            name: "SegmentedDLTesting",
            dependencies: ["SegmentedDL", "SegmentedDLQueue", "SegmentedDLSupport"],
            swiftSettings: strict),
        .target(
            name: "SegmentedDLServer",
            dependencies: [
                "SegmentedDL", "SegmentedDLQueue", "SegmentedDLMirror", "SegmentedDLDatabase",
                "SegmentedDLOptions", "SegmentedDLSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            resources: [.embedInCode("Page/Files")],
            swiftSettings: strict + small),
        .executableTarget(
            name: "segdl",
            dependencies: [
                "CSegSystem",
                "SegmentedDL", "SegmentedDLQueue", "SegmentedDLMirror", "SegmentedDLServer",
                "SegmentedDLDatabase", "SegmentedDLOptions", "SegmentedDLSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict + small),
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
        tests("SegmentedDLSupportTests"),
        tests("SegmentedDLTests", exclude: ["Fixtures"]),
        tests("SegmentedDLOptionsTests"),
        tests("SegmentedDLDatabaseTests", exclude: ["Fixtures"]),
        tests("SegmentedDLQueueTests"),
        tests("SegmentedDLMirrorTests", exclude: ["Listings/Recorded"]),
        tests("SegmentedDLServerTests"),
        tests("SegmentedDLTestingTests"),
        // As in an app.
        tests("SegmentedDLObservationTests", settings: [.defaultIsolation(MainActor.self)]),
        tests(
            "segdlTests",
            needs: ["segdl", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        tests("DownloadTests", in: "Tests/EndToEnd/Download", needs: binaries),
        tests("QueueTests", in: "Tests/EndToEnd/Queue", needs: binaries),
        tests("MirrorTests", in: "Tests/EndToEnd/Mirror", needs: binaries),
        tests("CommandTests", in: "Tests/EndToEnd/Command", needs: binaries),
        tests("FaultTests", in: "Tests/Faults", needs: binaries, exclude: ["Disk/shim.c"]),
    ],
    swiftLanguageModes: [.v6]
)
