using System.Runtime.InteropServices;

namespace Worker.ObjectKeys;

/// <summary>A piece of a parsed template.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Position">Where it starts in its setting, counted in characters from 1.</param>
/// <param name="Text">The fixed text, or the property's name; empty for a slash.</param>
/// <param name="Field">Which field of a date.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct KeyPiece(KeyPieceKind Kind, int Position, string Text, KeyDateField Field = default);
