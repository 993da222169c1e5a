namespace ElasticsearchServer;

/// <summary>The script of faults and the history of bulk requests. Threads: any.</summary>
internal sealed class BulkExchanges
{
    private readonly Lock _lock = new();
    private readonly List<BulkExchange> _history = [];
    private IReadOnlyList<FaultRule> _script = [];
    private int _numbers;
    private int _inFlight;

    /// <summary>May be replaced while requests are in flight; the request numbers continue.</summary>
    public IReadOnlyList<FaultRule> Script
    {
        set
        {
            lock (_lock)
            {
                _script = value;
            }
        }
    }

    public (int Number, FaultRule? Rule, int InFlight) Begin()
    {
        lock (_lock)
        {
            int number = ++_numbers;
            return (number, _script.FirstOrDefault(rule => number >= rule.First && number <= rule.Last), ++_inFlight);
        }
    }

    /// <summary>Recorded before the answer is sent, so that a client with an answer finds the exchange.</summary>
    public void Note(BulkExchange exchange)
    {
        lock (_lock)
        {
            _history.Add(exchange);
        }
    }

    public void End()
    {
        lock (_lock)
        {
            _inFlight--;
        }
    }

    /// <summary>As at the start of the server.</summary>
    /// <exception cref="ApiException">Requests are in work.</exception>
    public void Reset()
    {
        lock (_lock)
        {
            if (_inFlight > 0)
            {
                throw new ApiException(409, "conflict", $"{_inFlight} bulk requests are in work.");
            }

            _history.Clear();
            _script = [];
            _numbers = 0;
        }
    }

    public BulkExchange[] Snapshot()
    {
        lock (_lock)
        {
            return [.. _history];
        }
    }
}
