import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'

interface Question {
  readonly title: string
  /** What will happen, and whether it can be undone. */
  readonly text: string
  /** What the button says: the deed, not "OK". */
  readonly confirm: string
  readonly cancel: string
  readonly isDangerous?: boolean
}

/** Asks before something is lost; resolves to whether to go on. */
export const confirm = ({ title, text, confirm, cancel, isDangerous }: Question) =>
  new Promise<boolean>((resolve) => {
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
