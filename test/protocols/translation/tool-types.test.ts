import { describe, expect, test } from 'bun:test'
import type { Tool } from '../../../src/protocols/canonical/request.ts'
import { toolType } from '../../../src/protocols/translation/count-tokens.ts'

const tool = (parameters: Tool['parameters'], rest?: Partial<Tool>): Tool => ({
  kind: 'function',
  name: 'look',
  parameters,
  ...rest,
})

describe('a tool as a TypeScript type', () => {
  test('has its description, and a comment, a mark and a type for each parameter', () => {
    const parameters = {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Where.' },
        unit: { enum: ['c', 'f'] },
        days: { type: ['integer', 'null'] },
        tags: { type: 'array', items: { type: 'string' } },
        place: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
        any: {},
        either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['city'],
    }
    expect(toolType(tool(parameters, { description: 'Looks.' }))).toBe(
      [
        '// Looks.',
        'type look = (_: {',
        '// Where.',
        'city: string,',
        'unit?: "c" | "f",',
        'days?: integer | null,',
        'tags?: string[],',
        'place?: {',
        'x: number,',
        '},',
        'any?: any,',
        'either?: string | null,',
        '}) => any;\n\n',
      ].join('\n'),
    )
  })

  test.each([
    ['no schema', undefined],
    ['an empty one', {}],
    ['no properties', { type: 'object' }],
    ['empty properties', { type: 'object', properties: {} }],
  ])('has no parameters with %s', (_name, parameters) => {
    expect(toolType(tool(parameters))).toBe('type look = () => any;\n\n')
  })

  test('has a custom tool’s grammar', () => {
    const grammar = { syntax: 'lark', definition: 'start: "a"' }
    expect(toolType({ kind: 'custom', name: 'patch', grammar })).toBe(
      '// start: "a"\ntype patch = (_: string) => any;\n\n',
    )
  })

  test('writes a definition once, even one that contains itself', () => {
    const $defs = {
      Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } },
    }
    const parameters = {
      $defs,
      properties: { a: { $ref: '#/$defs/Node' }, b: { $ref: '#/$defs/Node' } },
    }
    expect(toolType(tool(parameters))).toContain('a?: {\nnext?: Node,\n},\nb?: Node,\n')
  })

  test('ends, however deep a schema nests and whatever it holds', () => {
    let deep: Record<string, unknown> = { type: 'string' }
    for (let depth = 0; depth < 10_000; depth += 1) deep = { type: 'array', items: deep }
    expect(toolType(tool({ properties: { deep } })).length).toBeLessThan(200)
    const odd = {
      a: 1,
      b: { type: [{ toString: 1 }] },
      c: { enum: [{}, null, 1] },
      d: { $ref: '#' },
    }
    expect(toolType(tool({ properties: odd, required: 'all' }))).toContain('c?: object | null | 1,')
  })
})
