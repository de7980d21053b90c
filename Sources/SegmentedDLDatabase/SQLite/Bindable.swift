internal import CSegSQLite

/// A value for a statement's parameter. `nil` binds NULL.
package protocol Bindable {
    /// Binds a copy of the value.
    ///
    /// - Parameter index: The parameter's number, from 1.
    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Bindable where Self: BinaryInteger {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(self))
    }
}

extension Int64: Bindable {}
extension Int: Bindable {}
extension Int32: Bindable {}

extension Bool: Bindable {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }
}

extension Double: Bindable {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_double(statement, index, self)
    }
}

extension String: Bindable {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { seg_bind_text(statement, index, $0.baseAddress, UInt64($0.count)) }
    }
}

extension [UInt8]: Bindable {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeBytes { seg_bind_blob(statement, index, $0.baseAddress, UInt64($0.count)) }
    }
}
