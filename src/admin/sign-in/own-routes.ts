import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { Answer, success } from '../envelope.ts'
import { answer } from './open-guard.ts'
import {
  BackupCodes,
  CodeBody,
  IdParams,
  NewPasskeyBody,
  PasskeyOptions,
  PasswordBody,
  PasswordChangeBody,
  SessionList,
  SignInProfile,
  TwoFactorSecret,
  UnlinkBody,
} from './schema.ts'
import type { SignIn } from './sign-in.ts'

const nothing = { 200: Answer(Type.Null()) }
const about = (summary: string) => ({ tags: ['Sign-in'], summary })

/** What people change of their own way in. HTTP only: every decision is the service's. */
export const ownSignInRoutes = (guard: Guard, { own, elsewhere }: SignIn) =>
  new Elysia({ name: 'admin.sign-in.own', prefix: '/api/v1/auth' })
    .use(guard('user'))
    .get('/profile', async ({ who }) => success(await own.profile(who)), {
      response: { 200: Answer(SignInProfile) },
      detail: about('What you sign in with'),
    })
    .get('/sessions', async ({ who }) => success(await own.sessions(who)), {
      response: { 200: Answer(SessionList) },
      detail: about('Where you are signed in'),
    })
    .delete(
      '/sessions/:id',
      async ({ who, params }) => {
        await own.endSession(who, params.id)
        return success(null)
      },
      { params: IdParams, response: nothing, detail: about('End one session') },
    )
    .post('/sessions/end-others', async ({ who }) => success({ ended: await own.endOthers(who) }), {
      response: { 200: Answer(Type.Object({ ended: Type.Integer() })) },
      detail: about('End all sessions but this one'),
    })
    .post(
      '/password',
      async ({ request, who, body }) => {
        const change = { current: body.current_password, wanted: body.new_password }
        return answer(await own.changePassword(request, who, change))
      },
      { body: PasswordChangeBody, response: nothing, detail: about('Change the password') },
    )
    .post(
      '/two-factor/enable',
      async ({ request, who, body }) =>
        answer(await own.enableTwoFactor(request, who, body.password)),
      {
        body: PasswordBody,
        response: { 200: Answer(TwoFactorSecret) },
        detail: about('A second factor: begin'),
      },
    )
    .post(
      '/two-factor/confirm',
      async ({ request, who, body }) => answer(await own.confirmTwoFactor(request, who, body.code)),
      { body: CodeBody, response: nothing, detail: about('A second factor: the first code') },
    )
    .post(
      '/two-factor/disable',
      async ({ request, who, body }) =>
        answer(await own.disableTwoFactor(request, who, body.password)),
      { body: PasswordBody, response: nothing, detail: about('Remove the second factor') },
    )
    .post(
      '/two-factor/backup-codes',
      async ({ request, who, body }) =>
        answer(await own.newBackupCodes(request, who, body.password)),
      {
        body: PasswordBody,
        response: { 200: Answer(BackupCodes) },
        detail: about('New backup codes, in place of the old ones'),
      },
    )
    .post(
      '/unlink',
      async ({ request, who, body }) => answer(await elsewhere.unlink(request, who, body.provider)),
      { body: UnlinkBody, response: nothing, detail: about('Take an OIDC provider away') },
    )
    .get(
      '/passkeys/options',
      async ({ request }) => answer(await elsewhere.passkeyOptions(request, 'register')),
      { response: { 200: Answer(PasskeyOptions) }, detail: about('Add a passkey: begin') },
    )
    .post(
      '/passkeys',
      async ({ request, who, body }) => answer(await elsewhere.addPasskey(request, who, body)),
      { body: NewPasskeyBody, response: nothing, detail: about('Add a passkey') },
    )
    .delete(
      '/passkeys/:id',
      async ({ request, who, params }) =>
        answer(await elsewhere.removePasskey(request, who, params.id)),
      { params: IdParams, response: nothing, detail: about('Remove a passkey') },
    )
