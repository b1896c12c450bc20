#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// Allocations of the process so far; 0 where they are not counted.
long allocation_count(void);

#endif
