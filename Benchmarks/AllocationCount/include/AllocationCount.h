#pragma once

/// How many blocks of memory this process has allocated, on all its threads. Always 0 where they are not
/// counted.
long allocation_count(void);
