using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Planning;

/// <summary>
/// Says under which key a message would be stored, for the command <c>explain-key</c>. A class that implements <see cref="Handlers.IHandlerFeature"/> may
/// implement it too.
/// </summary>
internal interface IKeyExplainer
{
    /// <summary>Writes the key and the origin of each of its parts; several keys where the route has an envelope. Stores nothing.</summary>
    /// <param name="route">A route of the handler.</param>
    /// <param name="settings">The configuration, valid for the route.</param>
    /// <param name="message">The message, as its source delivers it.</param>
    /// <param name="output">Receives the text.</param>
    /// <returns>False when the message, or one that it contains, would be dead-lettered.</returns>
    bool ExplainKey(RoutePlan route, SettingsReader settings, SampleMessage message, TextWriter output);
}
