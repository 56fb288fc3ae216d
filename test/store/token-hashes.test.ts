import { expect, test } from 'bun:test'
import { eachEngineAndLink } from './each-engine.ts'

eachEngineAndLink((open) => {
  test('hashes of keys are read page by page, those of deleted tokens too', async () => {
    await using scene = await open()
    const { tokens } = scene.store
    const all = await scene.rows<{ id: number; keyHash: string }>(
      'SELECT id, key_hash AS "keyHash" FROM token ORDER BY id',
    )
    const [first] = all
    await scene.change(`UPDATE token SET deleted_at = 1 WHERE id = ${first?.id}`)
    expect(await tokens.hashesAfter(0, 100)).toEqual(
      all.map(({ id, keyHash }) => ({ id: Number(id), keyHash })),
    )
    expect((await tokens.hashesAfter(0, 1)).map(({ id }) => id)).toEqual([Number(first?.id)])
    expect(await tokens.hashesAfter(Number(all.at(-1)?.id), 100)).toEqual([])
  })
})
