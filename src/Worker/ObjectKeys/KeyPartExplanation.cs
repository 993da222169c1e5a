namespace Worker.ObjectKeys;

/// <summary>How one placeholder of a template came about.</summary>
/// <param name="Placeholder">The property's path, and its rule where it has one.</param>
/// <param name="Value">What the message has there, fit for a terminal.</param>
/// <param name="Part">What is in the key.</param>
/// <param name="Because">Why.</param>
internal sealed record KeyPartExplanation(string Placeholder, string Value, string Part, string Because);
