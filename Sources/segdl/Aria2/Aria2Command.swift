import SegmentedDL
import SegmentedDLOptions
import SystemPackage

/// aria2's command line, for programs that call it: `segdl aria2c …`, or a link of that name.
enum Aria2Command {
    private static let name = "aria2c"
    private static let nothingToDo: Int32 = 1

    /// Returns the arguments for aria2; `nil` if the process was not called as aria2.
    ///
    /// - Parameter path: The name by which it was called.
    static func arguments(calledAs path: String, _ arguments: [String]) -> [String]? {
        if FilePath(path).lastComponent?.string == name { return arguments }
        return arguments.first == name ? Array(arguments.dropFirst()) : nil
    }

    /// - Returns: aria2's exit status.
    static func run(_ arguments: [String]) async -> Int32 {
        Signals.ignoreFailedWrites()
        do {
            return try await carryOut(Aria2Arguments(arguments))
        } catch let failure as Aria2Failure {
            StandardError.write(failure.message + "\n")
            return failure.status
        } catch {
            let known: any Error = DownloadError(reporting: error) ?? error
            StandardError.write("\(known)\n")
            return Aria2Status.of(known) ?? Aria2Status.unfinished
        }
    }

    private static func carryOut(_ arguments: Aria2Arguments) async throws -> Int32 {
        if let words = Aria2Help.answer(to: arguments) {
            TextOutput.standardOutput.write(words)
            return 0
        }
        let environment = ProcessEnvironment.variable
        let home = environment("HOME")
        var command = Aria2Values()
        for given in arguments.options { try command.set(given.option, given.value, home: home) }
        let file = try Aria2ConfigurationFile.read(command, environment: environment)
        // Lists on the command line are appended to those of the file.
        var values = file.values
        for given in arguments.options { try values.set(given.option, given.value, home: home) }
        for (variable, value) in Aria2Proxies.variables(
            command: command, configuration: file.values, environment: environment)
        {
            ProcessEnvironment.set(variable, to: value)
        }
        ProxyVariables.convertHosts()
        var list: Aria2List?
        if let path = values.nonEmpty("input-file") {
            list = try Aria2List(text(ofList: path), home: home)
        }
        var plan = try Aria2Plan(values, uris: arguments.uris, list: list)
        for line in file.unknown { plan.remark(.warn, "Unknown option: \(line)") }
        return try await run(plan, hasList: list != nil)
    }

    private static func run(_ plan: Aria2Plan, hasList: Bool) async throws -> Int32 {
        let values = plan.values
        if Aria2Daemon(values).isEnabled { return try await Aria2Serving(plan).run() }
        let descriptor = values.flag("stderr") ? STDERR_FILENO : STDOUT_FILENO
        let style = Aria2Style(values, descriptor: descriptor)
        guard !plan.downloads.isEmpty else {
            if hasList {
                let output = TextOutput(descriptor: descriptor)
                let console = Aria2Console(
                    [], results: Aria2Results(), style: style, output: output, log: try log(values))
                for remark in plan.remarks { console.write(remark.level, remark.text) }
                output.write("No files to download.\n")
                // Unlike aria2, because nothing of the list was fetched.
                return plan.hasErrors ? nothingToDo : 0
            }
            throw Aria2Failure(
                message: """
                    Specify at least one URL.
                    Usage: aria2c [OPTIONS] URI...
                    See 'aria2c -h'.
                    """, status: nothingToDo)
        }
        if !style.isQuiet, style.level <= .notice, !plan.withoutEffect.isEmpty {
            let names = plan.withoutEffect.sorted().map { "--\($0)" }.joined(separator: ", ")
            StandardError.write("segdl: These options have no effect here: \(names).\n")
        }
        return try await Aria2Run(plan).run(
            style: style, output: TextOutput(descriptor: descriptor), log: try log(values))
    }

    /// - Throws: `Aria2Failure` with status 1.
    private static func text(ofList path: String) throws(Aria2Failure) -> String {
        let bytes: [UInt8]
        do {
            bytes = try TextFile.bytes(path)
        } catch {
            throw Aria2Failure(
                message: "Failed to open the file \(path), cause: \(error)", status: nothingToDo)
        }
        guard !bytes.contains(0) else {
            throw Aria2Failure(
                message:
                    "\(path) contains NUL bytes, so it is not a list. For a compressed list: gzip -dc LIST.gz | aria2c -i -",
                status: nothingToDo)
        }
        // Bytes that are not UTF-8 are kept in the URL.
        return PercentEncoding.text(bytes)
    }

    /// Opens the file of --log; `-` is standard output.
    ///
    /// - Throws: `Aria2Failure` with status 1.
    private static func log(_ values: Aria2Values) throws(Aria2Failure) -> TextOutput? {
        guard let path = values.nonEmpty("log") else { return nil }
        if path == "-" { return TextOutput(descriptor: STDOUT_FILENO) }
        do {
            return try TextOutput(path: path, appends: true) { reason in
                StandardError.write("Failed to write to the file \(path), cause: \(reason)\n")
            }
        } catch {
            throw Aria2Failure(
                message: "Failed to open the file \(path), cause: \(error)", status: nothingToDo)
        }
    }
}
