import { sweepFunction } from './0008-postgres-budgets.ts'

/**
 * A node that was cut off sets aside again at once, and says that it lives some seconds later. What is
 * that young is none of a dead node's: nobody who was silent for so long has made it. It is as old as
 * its request, by the clock of whoever made it: what waited for so long in a line, or is ahead or behind
 * by so much, is not spared.
 */
export const postgresSweep = sweepFunction(' AND abs(now_ms() - created_at) >= silent_ms')
