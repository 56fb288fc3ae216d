import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Text,
  type TextProps,
} from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

type Props = TextProps & Omit<ComponentProps<'p'>, keyof TextProps>

/** What explains something. */
export const Hint = (props: Props) => <Text size="sm" c="dimmed" {...props} />

/** What stands beside something in small letters. */
export const SmallHint = (props: Props) => <Text size="xs" c="dimmed" {...props} />

/** A text of any length: names of strangers break anywhere. */
export const LongText = (props: Props) => <Text size="sm" className="cut" {...props} />

type LinkProps<Own> = Own & Omit<ComponentProps<'a'>, keyof Own>

/** A link to a page of the console. */
export const AnchorLink = createLink((props: LinkProps<AnchorProps>) => <Anchor {...props} />)

/** A button that leads to a page of the console. */
export const ButtonLink = createLink((props: LinkProps<ButtonProps>) => (
  <Button component="a" {...props} />
))
