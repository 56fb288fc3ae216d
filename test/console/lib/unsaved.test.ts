import { afterEach, expect, test } from 'bun:test'
import {
  formName,
  hasUnsaved,
  keepTyped,
  leaving,
  takeTyped,
  watchForm,
} from '../../../src/console/lib/unsaved.ts'

const form = { values: {}, saved: {}, isSending: false, secrets: [] as string[] }
let unwatch = () => {}
function open(saved: object, values: object): void {
  Object.assign(form, { saved, values, isSending: false, secrets: [] })
  unwatch()
  unwatch = watchForm({
    ...{ values: () => form.values, saved: () => form.saved, isSending: () => form.isSending },
    isSecret: (field) => form.secrets.includes(field),
  })
}
afterEach(() => unwatch())

function createStorage() {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  }
}

const here = { owner: 'ann@example.com', path: '/admin/channels/1' }

test('a page asks while something in it is typed, and neither while it is sent nor while an action leads on', async () => {
  open({ name: 'a' }, { name: 'a' })
  expect(hasUnsaved()).toBe(false)
  form.values = { name: 'b' }
  expect(hasUnsaved()).toBe(true)
  form.isSending = true
  expect(hasUnsaved()).toBe(false)
  form.isSending = false
  await leaving(async () => expect(hasUnsaved()).toBe(false))
  expect(hasUnsaved()).toBe(true)
  unwatch()
  expect(hasUnsaved()).toBe(false)
})

test('what was typed comes back once, on its page, to whom it belongs', () => {
  const storage = createStorage()
  open({ name: 'a', models: 'm', weight: 1 }, { name: 'b', models: 'm', weight: 1 })
  const name = formName(form.values)
  keepTyped(here, storage)
  expect(takeTyped({ ...here, path: '/admin/channels/2' }, name, storage)).toBeUndefined()
  expect(takeTyped(here, 'another form', storage)).toBeUndefined()
  // What was not typed is not kept: it may be another by then.
  expect(takeTyped(here, name, storage)).toEqual({ name: 'b' })
  expect(takeTyped(here, name, storage)).toBeUndefined()
  keepTyped(here, storage)
  expect(takeTyped({ ...here, owner: 'bob@example.com' }, name, storage)).toBeUndefined()
  expect(storage.kept.size).toBe(0)
})

test('secrets are not kept, by their names or by the input that hides them', () => {
  const storage = createStorage()
  const typed = ['new_password', 'keys', 'add_keys', 'proxy', 'client_secret', 'code', 'hidden']
  open({}, Object.fromEntries([...typed, 'name'].map((field) => [field, `typed ${field}`])))
  form.secrets = ['hidden']
  keepTyped(here, storage)
  expect(takeTyped(here, formName(form.values), storage)).toEqual({ name: 'typed name' })
})

test('what cannot be read is nothing', () => {
  const storage = createStorage()
  storage.setItem('typed', '{')
  expect(takeTyped(here, 'name', storage)).toBeUndefined()
})
