import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

type Props<Own> = Own & Omit<ComponentProps<'a'>, keyof Own>

/** A link to a page of the console. */
export const AnchorLink = createLink((props: Props<AnchorProps>) => <Anchor {...props} />)

/** A button that leads to a page of the console. */
export const ButtonLink = createLink((props: Props<ButtonProps>) => (
  <Button component="a" {...props} />
))
