import { expect, test } from 'bun:test'
import { nodeSeries } from '../../../src/app/metrics-nodes.ts'
import { createRegistry } from '../../../src/app/metrics-series.ts'
import type { NodeLoad, NodeView } from '../../../src/store/ports/nodes.ts'
import { parseExposition } from '../../support/exposition.ts'

const node = (id: number, isAlive: boolean): NodeView => ({
  ...{ id, name: `node:${id}`, version: '0.1.0', isAlive, load: {} },
  ...{ startedAt: 1_000, seenAt: 2_000, silentMs: 0 },
})

type Line = { readonly [label: string]: string | number }

/** Lines of a process with this load, that knows these nodes; undefined: it serves alone. */
async function linesOf(
  load: NodeLoad,
  known: readonly NodeView[] | undefined,
): Promise<readonly Line[]> {
  const membership = known && { id: () => 17, known: () => known }
  const text = await createRegistry(nodeSeries({ load: () => load, membership })).metrics()
  return [...parseExposition(text).values()].flatMap(({ lines }) =>
    lines.map(({ name, labels, value }) => ({ name, ...labels, value })),
  )
}

test('a node tells its number, who leads, who lives and that Valkey is there', async () => {
  const known = [node(16, false), node(17, true), node(18, true)]
  expect(await linesOf({ leads: true, counting: 'together' }, known)).toEqual([
    { name: 'tollgate_node_info', node: '17', value: 1 },
    { name: 'tollgate_node_leader', value: 1 },
    { name: 'tollgate_nodes', state: 'alive', value: 2 },
    { name: 'tollgate_nodes', state: 'dead', value: 1 },
    { name: 'tollgate_shared_counters_up', value: 1 },
  ])
})

test('one whose Valkey is away says so, and nothing of a list that it has not seen', async () => {
  expect(await linesOf({ leads: false, counting: 'apart' }, [])).toEqual([
    { name: 'tollgate_node_info', node: '17', value: 1 },
    { name: 'tollgate_node_leader', value: 0 },
    { name: 'tollgate_shared_counters_up', value: 0 },
  ])
})

test('one that serves alone tells nothing of others', async () => {
  expect(await linesOf({ leads: true, counting: 'alone' }, undefined)).toEqual([])
})
