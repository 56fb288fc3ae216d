import { hostname } from 'node:os'
import { version } from '../../package.json'
import type { Logger } from '../lib/log.ts'
import type { NodeLoad, NodeStore } from '../store/ports/nodes.ts'

/** How often a node says that it lives, and looks for dead ones: well within `silentNodeMs`. */
const beatMs = 5_000

/** Dead nodes stay in the list for so long, for people to see. */
const keptMs = 3_600_000

export interface MembershipParts {
  readonly nodes: NodeStore
  readonly load: () => NodeLoad
  readonly log: Logger
  /** Where this node runs, for people; default: its machine and process. */
  readonly name?: string
}

/** A process that is one of the nodes. */
export interface Membership {
  /** Says that it lives, closes what dead nodes left open and forgets those long dead. */
  beat(): Promise<void>
  /** Leaves the list: nothing of its own is under way any more. */
  leave(): Promise<void>
}

/**
 * Enters this process in the list of nodes, and keeps it there until it leaves. A node that was cut off
 * for so long that others took it for dead enters again; what it has under way is charged all the same.
 */
export async function joinNodes(parts: MembershipParts): Promise<Membership> {
  const { nodes, load, log, name = `${hostname()}:${process.pid}` } = parts
  let id = await nodes.register({ name, version })
  let isCutOff = false
  let beating: Promise<void> | undefined

  async function forgetLongDead(): Promise<void> {
    const all = await nodes.list()
    const newest = Math.max(...all.map(({ seenAt }) => seenAt))
    for (const node of all) {
      if (!node.isAlive && newest - node.seenAt > keptMs) await nodes.forget(node.id)
    }
  }

  async function sayAndLook(): Promise<void> {
    try {
      if (!(await nodes.heartbeat(id, load()))) {
        id = await nodes.register({ name, version })
        log.warn('this node was not in the list of nodes any more; it has entered again', {
          node: id,
        })
      }
      const interrupted = await nodes.sweepDead()
      if (interrupted > 0) {
        log.warn('requests of a node that died were under way; recorded, nothing charged', {
          interrupted,
        })
      }
      await forgetLongDead()
      if (isCutOff) log.info('this node is heard of again', { node: id })
      isCutOff = false
    } catch (error) {
      if (!isCutOff) log.warn('the other nodes hear nothing of this one', { error: String(error) })
      isCutOff = true
    }
  }

  function beat(): Promise<void> {
    beating ??= sayAndLook().finally(() => {
      beating = undefined
    })
    return beating
  }

  const timer = setInterval(() => void beat(), beatMs)
  timer.unref()
  return {
    beat,
    async leave() {
      clearInterval(timer)
      await beating
      try {
        await nodes.forget(id)
      } catch (error) {
        log.warn('this node stays in the list of nodes until it counts as dead', {
          error: String(error),
        })
      }
    },
  }
}
