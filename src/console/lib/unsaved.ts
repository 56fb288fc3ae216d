import { isSame } from './form-values.ts'

/** A form on the page, as it is at this moment. */
export interface OpenForm {
  values(): object
  /** What it was filled with, or has sent last. */
  saved(): object
  isSending(): boolean
  /** Whether a field is for a secret: it is never kept. */
  isSecret(field: string): boolean
}

type Typed = { readonly [field: string]: unknown }

const forms = new Set<OpenForm>()
let underWay = 0

/** Names a form to `hasUnsaved`; returns what takes it out again. */
export function watchForm(form: OpenForm): () => void {
  forms.add(form)
  return () => void forms.delete(form)
}

/** While this works, leaving a page asks nothing: what is done there leads on by itself. */
export async function leaving<Result>(work: () => Promise<Result>): Promise<Result> {
  underWay++
  try {
    return await work()
  } finally {
    underWay--
  }
}

const isTyped = (form: OpenForm) => !isSame(form.values(), form.saved())

/** Whether leaving the page would lose what is typed in one of its forms. */
export const hasUnsaved = (): boolean =>
  underWay === 0 && [...forms].every((form) => !form.isSending()) && [...forms].some(isTyped)

/** Whose it is, on which page, and what was typed, by the name of the form. */
interface Kept {
  readonly owner: string
  readonly path: string
  readonly forms: { readonly [name: string]: Typed }
}
type Place = Pick<Kept, 'owner' | 'path'>
type KeptIn = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const storageKey = 'typed'

/** Forms have no names: their fields tell them apart on a page. */
export const formName = (values: object) => Object.keys(values).sort().join()

const secret = /password|secret|key|code|proxy|passkey/i

/** The fields that differ from what is saved, without secrets. */
function typedIn(form: OpenForm): Typed {
  const saved = form.saved() as Typed
  const typed = Object.entries(form.values()).filter(
    ([name, value]) => !secret.test(name) && !form.isSecret(name) && !isSame(value, saved[name]),
  )
  return Object.fromEntries(typed)
}

/** Keeps what is typed on a page, in this tab, until `takeTyped`: for after the next sign-in. */
export function keepTyped({ owner, path }: Place, storage: KeptIn = sessionStorage): void {
  const typed = [...forms].filter(isTyped).map((form) => [formName(form.values()), typedIn(form)])
  if (typed.length === 0) return
  storage.setItem(storageKey, JSON.stringify({ owner, path, forms: Object.fromEntries(typed) }))
}

/** What was kept of a form on this page, once; nobody gets what another account has typed. */
export function takeTyped(
  { owner, path }: Place,
  name: string,
  storage: KeptIn = sessionStorage,
): Typed | undefined {
  const kept = readKept(storage)
  if (kept === undefined) return undefined
  if (kept.owner !== owner) storage.removeItem(storageKey)
  if (kept.owner !== owner || kept.path !== path) return undefined
  const { [name]: typed, ...others } = kept.forms
  if (typed === undefined) return undefined
  if (Object.keys(others).length === 0) storage.removeItem(storageKey)
  else storage.setItem(storageKey, JSON.stringify({ ...kept, forms: others }))
  return typed
}

/** Whether something is kept for after the next sign-in. */
export const hasTyped = (storage: KeptIn = sessionStorage) => readKept(storage) !== undefined

/** Forgets all that was kept, as when somebody signs out. */
export const forgetTyped = (storage: KeptIn = sessionStorage) => storage.removeItem(storageKey)

function readKept(storage: KeptIn): Kept | undefined {
  try {
    return JSON.parse(storage.getItem(storageKey) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}
