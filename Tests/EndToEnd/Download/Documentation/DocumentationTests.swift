import Testing

@Suite("The code of the documentation")
struct DocumentationTests {
    @Test("appears verbatim in a source that is compiled")
    func isCompiled() throws {
        let compiled = Set(try Documentation.compiled().map(\.code))
        let shown = try Documentation.shown()
        #expect(shown.count > 30)
        for block in shown {
            let isCompiled = [block.code, Documentation.withoutImports(block.code)].contains(
                where: compiled.contains)
            #expect(isCompiled, "\(block.place) shows what is not compiled:\n\(block.code)")
        }
    }

    @Test("is all that is compiled for it")
    func isShown() throws {
        let shown = Set(
            try Documentation.shown().flatMap { [$0.code, Documentation.withoutImports($0.code)] })
        for block in try Documentation.compiled() {
            let isShown = shown.contains(block.code)
            #expect(isShown, "No page shows this of \(block.place):\n\(block.code)")
        }
    }

    @Test("has a table with each code of an error")
    func codes() throws {
        let codes = try Documentation.text("Sources/SegmentedDL/API/DownloadError.swift")
            .matches(of: /static let (\w+) = Code\(/).map { String($0.output.1) }
        #expect(codes.count > 25)
        let rows = try Documentation.text("Sources/SegmentedDL/SegmentedDL.docc/DownloadingFiles.md")
            .split(separator: "\n").filter { $0.hasPrefix("|") }.joined()
        for code in codes {
            let isListed = rows.contains("`\(code)`")
            #expect(isListed, "No table of DownloadingFiles.md has \(code)")
        }
    }

    @Test("is linked from its module's first page, type by type", arguments: Documentation.modules)
    func isLinked(module: String) throws {
        let page = try Documentation.overview(of: module)
        let types = try Documentation.publicTypes(of: module)
        #expect(types.count > 1)
        for type in types {
            let isListed = page.contains("\n- ``\(type)``\n")
            #expect(isListed, "\(module).md does not list \(type)")
        }
    }
}
