import { contactHref } from '../../look/contact.ts'
import { bilingual, useText } from '../lib/language.ts'
import { pageSite } from '../lib/site.ts'

const texts = bilingual({
  forgotten: ['Forgot the password?', '忘记密码？'],
  ask: [
    'Ask an administrator. In the console, at your account, they set a new password and remove a second factor that you have lost.',
    '请联系管理员：在控制台的账户页面中，管理员可以为您设置新密码，并移除丢失的两步验证。',
  ],
  contact: ['How to reach them:', '联系方式：'],
  administrator: [
    'You are the administrator: run this on the machine of the gateway.',
    '如果您就是管理员，请在网关所在的机器上运行：',
  ],
})

/** What to do without the password or the second factor. */
export function Forgotten() {
  const text = useText(texts)
  const { contact } = pageSite
  return (
    <details>
      <summary>{text.forgotten}</summary>
      <p>{text.ask}</p>
      {contact && (
        <p>
          {text.contact} <Contact of={contact} />
        </p>
      )}
      <p>{text.administrator}</p>
      <pre>
        {'tollgate account password you@example.com\ntollgate account reset-2fa you@example.com'}
      </pre>
    </details>
  )
}

/** An address can be followed, and mail be written to. */
function Contact({ of }: { readonly of: string }) {
  const href = contactHref(of)
  return href === undefined ? <b>{of}</b> : <a href={href}>{of}</a>
}
