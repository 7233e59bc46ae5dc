import {
  type GarmentKind,
  type GarmentSpot,
  type GarmentView,
  type OutlinedKind,
  panelSpot,
} from '../mockup/garment.ts';
import type { Size } from '../place.ts';

/** Outlines of a garment in thousandths of the side of its picture, as paths of SVG. */
export type GarmentShape = {
  /** What is filled with the colour; later parts lie above. */
  readonly parts: readonly string[];
  /** The inside of a neck, or what is of another shade: filled darker, above the parts. */
  readonly inside?: string;
  /** Seams and edges. */
  readonly seams: readonly string[];
  /** Ribs and stitches: thinner. */
  readonly stitches: readonly string[];
  /** Folds: soft shade along these lines. */
  readonly folds: readonly string[];
  /** What a print may reach, where that is less than the parts. */
  readonly clip?: string;
};

const TEE_SLEEVES = [
  'M372 138 C330 150 285 168 252 190 C215 216 186 258 160 312 L118 408 C114 417 118 426 127 430 L208 462 C216 465 224 461 228 453 L282 346 Z',
  'M628 138 C670 150 715 168 748 190 C785 216 814 258 840 312 L882 408 C886 417 882 426 873 430 L792 462 C784 465 776 461 772 453 L718 346 Z',
];
const TEE_BODY =
  'M372 138 C345 146 318 156 296 168 L282 346 C286 480 282 680 274 862 C273 874 279 882 291 884 C420 902 580 902 709 884 C721 882 727 874 726 862 C718 680 714 480 718 346 L704 168 C682 156 655 146 628 138';
const TEE_FOLDS = [
  'M292 330 C318 388 326 440 320 520',
  'M708 330 C682 388 674 440 680 520',
  'M300 640 C330 720 334 790 326 872',
  'M700 640 C672 716 668 800 676 872',
  'M430 760 C440 800 438 840 434 884',
  'M210 300 C214 350 206 400 196 448',
  'M790 300 C786 350 794 400 804 448',
];

const LONG_SLEEVES = [
  'M352 168 C308 178 268 194 236 224 C196 262 176 330 158 430 C142 520 126 640 116 762 C115 774 121 781 132 782 L196 790 C207 791 213 786 215 776 L282 400 Z',
  'M648 168 C692 178 732 194 764 224 C804 262 824 330 842 430 C858 520 874 640 884 762 C885 774 879 781 868 782 L804 790 C793 791 787 786 785 776 L718 400 Z',
];
const LONG_CUFFS = [
  'M116 762 L215 776 L208 840 C207 848 201 852 193 851 L123 842 C114 841 110 835 111 827 Z',
  'M884 762 L785 776 L792 840 C793 848 799 852 807 851 L877 842 C886 841 890 835 889 827 Z',
];
const LONG_BODY =
  'M352 168 C326 176 304 186 286 200 L282 400 C284 560 282 700 278 824 L722 824 C718 700 716 560 718 400 L714 200 C696 186 674 176 648 168';
const LONG_HEM =
  'M278 824 L722 824 L716 884 C715 891 710 895 703 896 C580 906 420 906 297 896 C290 895 285 891 284 884 Z';
const LONG_FOLDS = [
  'M290 380 C320 440 330 520 322 620',
  'M710 380 C680 440 670 520 678 620',
  'M300 690 C330 740 340 780 336 822',
  'M700 690 C670 740 660 780 664 822',
  'M220 420 C204 480 214 560 192 640',
  'M780 420 C796 480 786 560 808 640',
  'M176 640 C190 680 176 720 180 770',
  'M824 640 C810 680 824 720 820 770',
];

const ribs = (from: number, to: number, top: number, bottom: number): string[] =>
  Array.from({ length: Math.floor((to - from) / 13) }, (_, index) => {
    const x = from + 8 + index * 13;
    return `M${x} ${top} L${x} ${bottom}`;
  });

type Neck = Pick<GarmentShape, 'inside' | 'seams' | 'stitches'> & { readonly collar: string };

/** A neck with its rib, which reaches so far to both sides of the middle. */
const crew = (view: GarmentView, top: number, deep: number, reach = 132): Neck => {
  const low = view === 'front' ? deep : deep - 52;
  return {
    inside: `M400 ${top} C440 ${top - 12} 560 ${top - 12} 600 ${top} C586 ${low - 26} 546 ${low} 500 ${low} C454 ${low} 414 ${low - 26} 400 ${top} Z`,
    collar: `M${500 - reach} ${top + 4} C${516 - reach} ${low} 438 ${low + 34} 500 ${low + 34} C562 ${low + 34} ${484 + reach} ${low} ${500 + reach} ${top + 4} L600 ${top} C586 ${low - 26} 546 ${low} 500 ${low} C454 ${low} 414 ${low - 26} 400 ${top} Z`,
    seams: [`M400 ${top} C414 ${low - 26} 454 ${low} 500 ${low} C546 ${low} 586 ${low - 26} 600 ${top}`],
    stitches: [
      `M372 ${top + 6} C388 ${low - 4} 440 ${low + 30} 500 ${low + 30} C560 ${low + 30} 612 ${low - 4} 628 ${top + 6}`,
    ],
  };
};

function tee(view: GarmentView): GarmentShape {
  const { collar, ...neck } = crew(view, 134, 214);
  const low = view === 'front' ? 244 : 190;
  return {
    parts: [
      ...TEE_SLEEVES,
      `${TEE_BODY} C612 ${low - 34} 560 ${low} 500 ${low} C440 ${low} 388 ${low - 34} 372 138 Z`,
      collar,
    ],
    ...neck,
    seams: neck.seams,
    stitches: [...neck.stitches, 'M124 394 L220 432', 'M876 394 L780 432', 'M274 846 C420 866 580 866 726 846'],
    folds: TEE_FOLDS,
  };
}

function bodysuit(view: GarmentView): GarmentShape {
  const { collar, ...neck } = crew(view, 182, 250);
  return {
    parts: [
      'M380 186 C330 200 290 220 262 250 L206 372 C203 380 206 387 213 390 L288 420 C296 423 303 420 307 412 L330 366 Z',
      'M620 186 C670 200 710 220 738 250 L794 372 C797 380 794 387 787 390 L712 420 C704 423 697 420 693 412 L670 366 Z',
      'M380 186 C354 196 336 206 322 220 L330 366 C326 470 318 560 312 640 C310 664 318 676 336 684 C392 704 416 744 430 800 C434 818 442 826 458 828 L542 828 C558 826 566 818 570 800 C584 744 608 704 664 684 C682 676 690 664 688 640 C682 560 674 470 670 366 L678 220 C664 206 646 196 620 186 C606 236 560 274 500 274 C440 274 394 236 380 186 Z',
      collar,
    ],
    ...neck,
    stitches: [
      ...neck.stitches,
      'M216 356 L314 398',
      'M784 356 L686 398',
      'M314 624 C396 646 436 700 450 800',
      'M686 624 C604 646 564 700 550 800',
      'M440 800 L560 800',
    ],
    folds: [
      'M334 400 C352 470 350 560 338 640',
      'M666 400 C648 470 650 560 662 640',
      'M500 700 C506 740 498 770 500 800',
    ],
  };
}

function sweatshirt(view: GarmentView): GarmentShape {
  const { collar, ...neck } = crew(view, 164, 242, 152);
  const low = view === 'front' ? 272 : 220;
  return {
    parts: [
      ...LONG_SLEEVES,
      ...LONG_CUFFS,
      LONG_HEM,
      `${LONG_BODY} C630 ${low - 30} 560 ${low} 500 ${low} C440 ${low} 370 ${low - 30} 352 168 Z`,
      collar,
    ],
    ...neck,
    seams: [
      ...neck.seams,
      'M286 200 C276 264 278 332 282 400',
      'M714 200 C724 264 722 332 718 400',
      'M278 824 L722 824',
      'M116 762 L215 776',
      'M884 762 L785 776',
    ],
    stitches: [...neck.stitches, ...ribs(284, 716, 830, 894)],
    folds: LONG_FOLDS,
  };
}

function hoodie(view: GarmentView): GarmentShape {
  const base = sweatshirt(view);
  const isFront = view === 'front';
  const hood = isFront
    ? 'M352 196 C336 120 396 62 500 60 C604 62 664 120 648 196 C634 262 574 312 500 330 C426 312 366 262 352 196 Z'
    : 'M346 200 C330 110 396 50 500 48 C604 50 670 110 654 200 C650 270 584 306 500 308 C416 306 350 270 346 200 Z';
  return {
    parts: [...LONG_SLEEVES, ...LONG_CUFFS, LONG_HEM, `${LONG_BODY} L352 168 Z`, hood],
    ...(isFront
      ? {
          inside:
            'M404 176 C398 128 440 98 500 96 C560 98 602 128 596 176 C588 228 548 268 500 292 C452 268 412 228 404 176 Z',
        }
      : {}),
    seams: [
      ...base.seams.slice(1),
      hood,
      ...(isFront
        ? [
            'M404 176 C398 128 440 98 500 96 C560 98 602 128 596 176 C588 228 548 268 500 292 C452 268 412 228 404 176 Z',
            'M330 824 L352 712 C356 690 366 676 386 668 L416 652 L584 652 L614 668 C634 676 644 690 648 712 L670 824',
          ]
        : ['M500 48 L500 308']),
    ],
    stitches: [
      ...ribs(284, 716, 830, 894),
      ...(isFront ? ['M456 262 C450 320 448 350 450 384', 'M544 262 C550 320 552 350 550 384'] : []),
    ],
    folds: [...LONG_FOLDS, 'M380 130 C372 180 396 240 440 280', 'M620 130 C628 180 604 240 560 280'],
  };
}

function tote(): GarmentShape {
  return {
    parts: [
      'M236 352 L764 352 C772 352 777 357 778 366 C792 540 798 720 796 900 C796 912 790 918 778 918 L222 918 C210 918 204 912 204 900 C202 720 208 540 222 366 C223 357 228 352 236 352 Z',
    ],
    inside:
      'M352 372 C352 190 372 84 500 84 C628 84 648 190 648 372 L612 372 C612 210 600 122 500 122 C400 122 388 210 388 372 Z',
    seams: [],
    stitches: [
      'M222 388 L778 388',
      'M346 396 L394 396 M346 440 L394 440 M346 396 L346 440 M394 396 L394 440 M346 396 L394 440 M394 396 L346 440',
      'M606 396 L654 396 M606 440 L654 440 M606 396 L606 440 M654 396 L654 440 M606 396 L654 440 M654 396 L606 440',
    ],
    folds: [
      'M250 420 C276 560 262 720 240 880',
      'M752 420 C726 560 742 720 762 880',
      'M340 700 C356 780 342 850 350 912',
      'M660 640 C640 740 664 830 652 912',
    ],
  };
}

function cap(): GarmentShape {
  return {
    parts: [
      'M226 560 C214 360 318 226 500 222 C682 226 786 360 774 560 C690 532 600 520 500 520 C400 520 310 532 226 560 Z',
      'M226 558 C310 530 400 520 500 520 C600 520 690 530 774 558 C806 600 818 648 810 684 C806 700 790 700 776 692 C700 648 604 630 500 630 C396 630 300 648 224 692 C210 700 194 700 190 684 C182 648 194 600 226 558 Z',
      'M478 222 C482 208 518 208 522 222 C516 230 484 230 478 222 Z',
    ],
    seams: ['M226 560 C310 532 400 520 500 520 C600 520 690 532 774 560'],
    stitches: [
      'M500 228 C506 320 506 420 500 518',
      'M488 230 C360 270 300 400 300 532',
      'M512 230 C640 270 700 400 700 532',
      'M206 606 C300 566 396 552 500 552 C604 552 700 566 794 606',
      'M198 640 C294 598 394 582 500 582 C606 582 706 598 802 640',
    ],
    folds: [
      'M250 500 C262 400 310 310 390 262',
      'M750 500 C738 400 690 310 610 262',
      'M214 676 C300 630 396 610 500 610 C604 610 700 630 786 676',
    ],
  };
}

const MUG_BODY =
  'M214 280 C214 262 318 250 440 250 C562 250 666 262 666 280 L654 728 C652 768 560 790 440 790 C320 790 228 768 226 728 Z';

function mug(): GarmentShape {
  return {
    parts: [
      'M650 360 C746 330 836 372 838 488 C840 604 752 676 650 662 L652 616 C726 624 792 578 790 490 C788 406 726 378 649 406 Z',
      MUG_BODY,
    ],
    seams: ['M214 280 C214 298 318 310 440 310 C562 310 666 298 666 280'],
    stitches: [],
    folds: ['M232 320 L240 740', 'M648 320 L640 740', 'M222 330 L234 730', 'M658 330 L646 730'],
    clip: 'M216 318 C260 330 350 336 440 336 C530 336 620 330 664 318 L654 700 C600 726 520 734 440 734 C360 734 280 726 226 700 Z',
  };
}

function poster(): GarmentShape {
  return { parts: ['M218 90 L782 90 L782 890 L218 890 Z'], seams: [], stitches: [], folds: [] };
}

/** What a panel reaches beyond its print area. */
const PANEL_RIM = 46;
const PANEL_ROUND = 20;

/** A sheet around a print area, which stands for what has no outline. */
function panel({ left, top, width, height }: Omit<GarmentSpot, 'view'>): GarmentShape {
  const [x, y, right, bottom] = [left - PANEL_RIM, top - PANEL_RIM, left + width + PANEL_RIM, top + height + PANEL_RIM];
  const round = PANEL_ROUND;
  const edge = [
    `M${x + round} ${y} L${right - round} ${y} Q${right} ${y} ${right} ${y + round} L${right} ${bottom - round}`,
    `Q${right} ${bottom} ${right - round} ${bottom} L${x + round} ${bottom} Q${x} ${bottom} ${x} ${bottom - round}`,
    `L${x} ${y + round} Q${x} ${y} ${x + round} ${y} Z`,
  ].join(' ');
  return { parts: [edge], seams: [], stitches: [edge], folds: [] };
}

const SHAPES: Readonly<Record<OutlinedKind, (view: GarmentView) => GarmentShape>> = {
  tee,
  bodysuit,
  hoodie,
  sweatshirt,
  tote,
  cap,
  mug,
  poster,
};

/** The outlines of a garment from the side where this spot lies; a panel is drawn around the spot. */
export function garmentShape(kind: GarmentKind, spot: GarmentSpot): GarmentShape {
  return kind === 'panel' ? panel(spot) : outlinedShape(kind, spot.view);
}

/** The outlines of a garment from one side. */
export function outlinedShape(kind: OutlinedKind, view: GarmentView): GarmentShape {
  return SHAPES[kind](view);
}

/** The outline of a panel for a print area of these proportions. */
export function panelShape(area: Size): GarmentShape {
  return panel(panelSpot('', area));
}
