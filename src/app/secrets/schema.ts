import { Type } from '../../lib/typebox.ts';

const count = (what: string) => Type.Integer({ minimum: 0, description: `${what} At most 10,000 are counted.` });

const Counts = {
  webhook_secrets: count('Signing secrets of webhook subscriptions.'),
  sign_ins: count('Sessions, refresh tokens, codes and pending sign-ins in force.'),
};

export const SecretKeyStatus = Type.Object(
  {
    id: Type.String({ description: 'Derived from the key, and tells nothing of it.' }),
    state: Type.Union([Type.Literal('sealing'), Type.Literal('readable'), Type.Literal('missing')], {
      description:
        '`sealing`: this node seals with it. `readable`: it is in SECRET_KEY_OLD of this node. `missing`: it is not set here, and values are sealed with it.',
    }),
    last_used_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When a node last sealed with it, to within a minute; null when none has since this is noted.',
    }),
    ...Counts,
    removable_from: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'From when on it can be taken out of SECRET_KEY_OLD; null while it is in use or seals anything.',
    }),
  },
  { title: 'SecretKey' },
);

export const SecretsStatus = Type.Object(
  {
    sealing_key: Type.String({ description: 'The id of the key that this node seals with.' }),
    complete: Type.Boolean({ description: 'Whether all values are sealed with that key.' }),
    keys: Type.Array(SecretKeyStatus),
    unnoted: Type.Object(Counts, { description: 'Values whose key is still to be found out.' }),
    unreadable: Type.Object(Counts, { description: 'Values that no key has opened.' }),
  },
  { title: 'SecretsStatus' },
);
