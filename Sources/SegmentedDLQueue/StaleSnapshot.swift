/// The queue has changed since a caller looked at it and decided what to add.
package struct StaleSnapshot: Error {}
