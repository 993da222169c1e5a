using System.Text;
using Quayside.Messaging.Hosting;

namespace Messaging.Tests.Envelopes;

/// <summary>A whole worker in memory whose route archives what is in an envelope.</summary>
internal static class EnvelopeWorker
{
    /// <param name="envelope">The value of <c>Routes:archive:Envelope</c>; empty for none.</param>
    /// <param name="settings">Further settings, such as <c>Unwrapping:Store=Whole</c>.</param>
    public static Task<TestWorker> StartAsync(string envelope, params string[] settings) =>
        StartAsync(worker => worker.AddEnvelopes().AddArchive(), envelope, settings);

    /// <param name="configure">Adds the envelopes and the handler.</param>
    /// <param name="envelope">As above.</param>
    /// <param name="settings">As above.</param>
    public static Task<TestWorker> StartAsync(Action<IMessageWorkerBuilder> configure, string envelope, string[] settings) => TestWorker.StartAsync(
        configure,
        [
            new("Routes:archive:Handler", "Archive"),
            new("Routes:archive:Sink", TestWorker.Sink),
            new("Routes:archive:Envelope", envelope),
            .. settings.Any(setting => setting.StartsWith("Handlers:Archive:Template=", StringComparison.Ordinal))
                ? []
                : (KeyValuePair<string, string?>[])[new("Handlers:Archive:Template", "{MessageId}")],
            .. settings.Select(setting => setting.Split('=', 2)).Select(pair => KeyValuePair.Create<string, string?>(pair[0], pair[1])),
        ]);

    /// <summary>The objects as <c>key: text</c>, by their keys.</summary>
    public static IReadOnlyList<string> StoredBy(TestWorker worker) =>
        [.. worker.Stored.Objects
            .OrderBy(stored => stored.Key, StringComparer.Ordinal)
            .Select(stored => $"{stored.Key}: {Encoding.UTF8.GetString(stored.Value)}")];
}
