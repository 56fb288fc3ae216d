import { Button, type ButtonProps, Group, type ModalProps, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { messageOf } from '../lib/error-text.ts'
import { commonText, shownLanguage } from '../lib/language.ts'
import { leaving } from '../lib/unsaved.ts'
import { loadModals } from './modals.tsx'
import { showNotice } from './notices.tsx'
import { loadCode } from './on-demand.ts'
import { LongText } from './text.tsx'

interface Question {
  readonly title: string
  /** What will happen, and whether it can be undone. */
  readonly text: string
  /** What the button says: the deed, not "OK". */
  readonly confirm: string
  readonly cancel?: string
  readonly isDangerous?: boolean
}

/** Whether a question is on its way: its code may still be loaded. */
let isAsking = false

/** Asks before something is lost; resolves to whether to go on. Who presses again meanwhile is asked once. */
export async function confirm({ title, text, confirm, isDangerous, ...question }: Question) {
  if (isAsking) return false
  isAsking = true
  const cancel = question.cancel ?? commonText[shownLanguage()].cancel
  const modals = await loadModals().catch(sayRefused)
  isAsking = false
  if (!modals) return false
  return new Promise<boolean>((resolve) => {
    modals.openConfirmModal({
      title,
      children: <Text size="sm">{text}</Text>,
      labels: { confirm, cancel },
      closeButtonProps: { 'aria-label': cancel },
      ...(isDangerous && { confirmProps: { color: 'red' } }),
      onConfirm: () => resolve(true),
      onCancel: () => resolve(false),
      onClose: () => resolve(false),
    })
  })
}

/** Says in a corner of the page that something is done. */
export const sayDone = (message: string) => showNotice({ message, color: 'green' })

/** Says in a corner of the page why something was refused, until it is closed. */
function sayRefused(error: unknown): void {
  const message = messageOf(error)
  showNotice({ message, color: 'red', autoClose: false })
}

/** So long an undo is offered, in milliseconds: enough to read it and to reach the button. */
const undoMs = 20_000

/** Says that something is done, with a button that undoes it. */
export function offerUndo(message: string, undo: () => Promise<unknown>): void {
  const press = () => {
    hide()
    void attempt(async () => {
      await undo()
    })
  }
  const hide = showNotice({
    ...{ message, color: 'green', autoClose: undoMs },
    content: (
      <Group justify="space-between" wrap="nowrap">
        <LongText>{message}</LongText>
        <Button size="xs" variant="default" flex="none" onClick={press}>
          {commonText[shownLanguage()].undo}
        </Button>
      </Group>
    ),
  })
}

/** Does something and says what came of it; resolves to whether it was done. */
export async function attempt(work: () => Promise<string | undefined>): Promise<boolean> {
  try {
    const message = await leaving(work)
    if (message !== undefined) sayDone(message)
    return true
  } catch (error) {
    sayRefused(error)
    return false
  }
}

/** Reads anew what stands below these names in the cache. */
export function useRefresh(): (...names: readonly string[]) => Promise<unknown> {
  const queries = useQueryClient()
  return (...names) =>
    Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })))
}

/** Does something whose refusal is shown where it was asked for: `error`, else null. */
export function useAttempt() {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  return {
    error,
    isBusy,
    async attempt(work: () => Promise<unknown>): Promise<void> {
      setBusy(true)
      setError(null)
      try {
        await work()
      } catch (failure) {
        setError(failure)
      } finally {
        setBusy(false)
      }
    },
  }
}

/** Of what opens a dialog: it is said before it is pressed, and tests open each. */
export const opensDialog = { 'aria-haspopup': 'dialog' } as const

export interface ActionProps extends ButtonProps {
  readonly label: string
  readonly ask?: Omit<Question, 'confirm'> | false
  readonly run: () => Promise<string | undefined>
}

/** A button that does something, and says what came of it. */
export function Action({ label, ask, run, ...look }: ActionProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    if (ask && !(await confirm({ ...ask, confirm: label }))) return
    setBusy(true)
    await attempt(run)
    setBusy(false)
  }
  return (
    <Button
      {...{ variant: 'default', loading: isBusy, ...look, ...(ask && opensDialog) }}
      onClick={() => void press()}
    >
      {label}
    </Button>
  )
}

export interface DialogProps extends Omit<ModalProps, 'opened' | 'onClose' | 'children'> {
  readonly label: string
  readonly look?: ButtonProps
  /** Opens it without a press, as an address may ask; `onClosed` takes the wish back. */
  readonly isWanted?: boolean
  readonly onClosed?: () => unknown
  readonly children?: (close: () => void) => ReactNode
  /** What is in it instead of children, where its code is large: loaded when the dialog is first wanted. */
  readonly load?: () => Promise<ComponentType<Closing>>
}

interface Closing {
  readonly close: () => void
}

type DialogCode = typeof import('./dialog-code.ts') & {
  readonly Content: ComponentType<Closing> | undefined
}

/**
 * Whether a dialog is open, and its code, which is loaded when it is first wanted. It is opened once it is there,
 * closed: so it knows where the focus was, and gives it back.
 */
export function useDialog({ load, onClosed }: Pick<DialogProps, 'load' | 'onClosed'> = {}) {
  const [isOpen, setOpen] = useState(false)
  const [loaded, setLoaded] = useState<DialogCode>()
  useEffect(() => {
    if (loaded) setOpen(true)
  }, [loaded])
  const fetchCode = () =>
    attempt(async () => {
      const [parts, Content] = await Promise.all([
        loadCode(() => import('./dialog-code.ts')),
        load && loadCode(load),
      ])
      setLoaded({ ...parts, Content })
    })
  return {
    ...{ isOpen, loaded },
    open: () => (loaded ? setOpen(true) : void fetchCode()),
    close() {
      setOpen(false)
      onClosed?.()
    },
  }
}

/** A button that opens a dialog. */
export function Dialog(props: DialogProps) {
  const { label, look, title = label, isWanted = false, onClosed, children, load, ...modal } = props
  const { isOpen, loaded, open, close } = useDialog({
    ...(load && { load }),
    ...(onClosed && { onClosed }),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each wish
  useEffect(() => {
    if (isWanted) open()
  }, [isWanted])
  return (
    <>
      <Button {...look} {...opensDialog} onClick={open}>
        {label}
      </Button>
      {loaded && (
        <loaded.Modal opened={isOpen} onClose={close} title={title} {...modal}>
          {loaded.Content ? <loaded.Content close={close} /> : children?.(close)}
        </loaded.Modal>
      )}
    </>
  )
}
