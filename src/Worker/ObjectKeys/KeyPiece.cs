using System.Runtime.InteropServices;
using Worker.Headers;

namespace Worker.ObjectKeys;

/// <summary>A piece of a parsed template.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Position">Where it starts in its setting, counted in characters from 1.</param>
/// <param name="Text">The fixed text; of a placeholder what it was written as, braces included; empty for a slash.</param>
/// <param name="Path">The property that a placeholder reads; null for fixed text and slashes, and where an error was reported.</param>
/// <param name="Use">What the property is used for.</param>
/// <param name="Rule">How a property becomes a part.</param>
/// <param name="Field">Which field of a date.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct KeyPiece(
    KeyPieceKind Kind,
    int Position,
    string Text,
    PropertyPath? Path = null,
    HeaderUse Use = HeaderUse.None,
    KeyRule Rule = KeyRule.Seed,
    KeyDateField Field = default);
