namespace System.Runtime.CompilerServices;

/// <summary>The type that the compiler needs for <c>init</c>; netstandard2.0 does not have it.</summary>
internal static class IsExternalInit;
