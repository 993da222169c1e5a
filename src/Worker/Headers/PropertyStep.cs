using System.Runtime.InteropServices;

namespace Worker.Headers;

/// <summary>One step of a <see cref="PropertyPath"/>: into a property of an object, or into an element of an array.</summary>
/// <param name="Name">The JSON property name, unescaped; null for an element.</param>
/// <param name="Index">The element's index, from 0.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct PropertyStep(string? Name, int Index = 0);
