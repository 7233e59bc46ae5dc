import { familyFacts } from '../artwork/fonts/families.ts';
import { printableScripts } from '../artwork/fonts/font-packages.ts';
import { signedUrl } from '../artwork/signed-url.ts';
import type { Context } from '../lib/context.ts';
import type { PersonalisationLayer, PersonalisationTemplate } from './personalisation-template.ts';
import type { Personalisation } from './schema.ts';

type Layer = Personalisation['layers'][number];
type ViewContext = Pick<Context, 'clock' | 'config' | 'secrets'>;

/**
 * The layers of a product that a buyer can fill in, as the public API shows them.
 * The images of options are signed anew for each reply.
 */
export function personalisationView(ctx: ViewContext, template: PersonalisationTemplate | null): Personalisation {
  const now = ctx.clock.now();
  return { layers: (template?.layers ?? []).map((layer) => layerView(ctx, layer, now)) };
}

function layerView(ctx: ViewContext, layer: PersonalisationLayer, now: Date): Layer {
  const { id, name, required, print_area, box } = layer;
  const common = { id, name, required, print_area, box };
  if (layer.type === 'text') {
    return { ...common, type: layer.type, length_max: layer.length_max, ...lettering(layer) };
  }
  if (layer.type === 'image') return { ...common, type: layer.type, fit: layer.fit };
  if (layer.type === 'photo_collage') {
    const { columns, rows } = layer.grid;
    return { ...common, type: layer.type, pictures_max: layer.pictures_max, grid: { columns, rows } };
  }
  return {
    ...common,
    type: layer.type,
    // In a stored template a design is the hash of its bytes, which only the signed address shows.
    options: layer.options.map((option) => ({
      id: option.id,
      name: option.name,
      image_url: signedUrl(ctx.secrets, ctx.config.baseUrl, option.design, now),
    })),
  };
}

function lettering({ font, color }: PersonalisationLayer & { type: 'text' }) {
  const { choices = [] } = color;
  return {
    font: {
      default: font.default,
      choices: font.choices ?? [],
      families: [...new Set([font.default, ...(font.choices ?? [])])].map(familyView),
      scripts: [...printableScripts()],
    },
    color: { default: color.default, any: choices === 'any', choices: choices === 'any' ? [] : choices },
  };
}

/**
 * What a family is like.
 * One that was here when its template was stored may have left with its package.
 */
export function familyView(family: string): { family: string; style: string; scripts: string[] } {
  const facts = familyFacts(family);
  return { family, style: facts?.style ?? 'not available', scripts: [...(facts?.scripts ?? [])] };
}
