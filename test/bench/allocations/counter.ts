import { heapStats } from 'bun:jsc'

/** Preloaded into a program: tells its parent how many objects of each kind the heap has, when asked. */
process.on('message', () => process.send?.(heapStats().objectTypeCounts))
