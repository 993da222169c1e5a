namespace Worker.CommandLine;

/// <summary>A way to send messages to a worker's source from outside. Threads: any number at once.</summary>
internal interface IMessageSender : IDisposable
{
    /// <summary>Where messages go, for reports.</summary>
    string Target { get; }

    /// <summary>What a success means, for reports: "stored by" or "sent to".</summary>
    string Accepted { get; }

    /// <summary>Calls that make sense at once.</summary>
    int Concurrency { get; }

    /// <summary>Messages of one call.</summary>
    int BatchSize { get; }

    /// <summary>Sends 1 to <see cref="BatchSize"/> messages.</summary>
    /// <returns>For each message null on success, else why not.</returns>
    Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken);
}
