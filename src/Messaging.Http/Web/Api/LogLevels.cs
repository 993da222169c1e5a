using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace Quayside.Messaging.Http.Web.Api;

/// <summary>
/// Log levels that were changed for a time: rules in .NET's own filter, which computes each logger's level when they change. Threads: any.
/// </summary>
/// <remarks>It depends on no logger, since loggers depend on the filter.</remarks>
internal sealed class LogLevels(TimeProvider time) : IPostConfigureOptions<LoggerFilterOptions>, IOptionsChangeTokenSource<LoggerFilterOptions>, IDisposable
{
    /// <summary>Categories at a time.</summary>
    public const int MaxChanges = 5;

    private readonly Lock _gate = new();
    private readonly List<(LogLevelState State, LogLevel Level, ITimer Timer)> _changes = [];
    private CancellationTokenSource _changed = new();

    /// <summary>The changes that last, the oldest first.</summary>
    public IReadOnlyList<LogLevelState> Current
    {
        get
        {
            lock (_gate)
            {
                return [.. _changes.Select(static change => change.State)];
            }
        }
    }

    /// <inheritdoc/>
    public string Name => Options.DefaultName;

    /// <summary>Logs a category and those below it from a level on, for a time; replaces an earlier change of this category.</summary>
    /// <param name="category">The beginning of the categories' names.</param>
    /// <param name="level">The lowest level logged.</param>
    /// <param name="period">How long.</param>
    /// <param name="ended">Called when the period is over, but not when another change replaced this one.</param>
    /// <returns>Null when <see cref="MaxChanges"/> others last.</returns>
    public LogLevelState? Set(string category, LogLevel level, TimeSpan period, Action ended)
    {
        LogLevelState state;
        lock (_gate)
        {
            if (_changes.Count(change => !IsOf(change.State, category)) >= MaxChanges)
            {
                return null;
            }

            Remove(category);
            DateTime now = time.GetUtcNow().UtcDateTime;
            state = new LogLevelState(category, level.ToString(), now, now + period);
            _changes.Add((state, level, time.CreateTimer(_ => End(state, ended), state: null, period, Timeout.InfiniteTimeSpan)));
        }

        Apply();
        return state;
    }

    /// <summary>Ends a change before its time.</summary>
    /// <returns>False when there was none.</returns>
    public bool End(string category)
    {
        lock (_gate)
        {
            if (!Remove(category))
            {
                return false;
            }
        }

        Apply();
        return true;
    }

    /// <inheritdoc/>
    public IChangeToken GetChangeToken()
    {
        lock (_gate)
        {
            return new CancellationChangeToken(_changed.Token);
        }
    }

    /// <inheritdoc/>
    public void PostConfigure(string? name, LoggerFilterOptions options)
    {
        lock (_gate)
        {
            foreach ((LogLevelState state, LogLevel level, _) in _changes)
            {
                // A rule of a provider wins over one of all, so each provider that has rules gets one more. The Windows event log keeps to what was
                // configured for it: others read it.
                string?[] providers = [.. options.Rules.Select(static rule => rule.ProviderName).Where(static provider => provider?.Contains("EventLog", StringComparison.Ordinal) != true).Append(null).Distinct(StringComparer.Ordinal)];

                // A longer name wins, too: those below the category are to be logged likewise, but for what was turned off altogether.
                foreach (LoggerFilterRule rule in options.Rules.Where(rule => rule.LogLevel != LogLevel.None && rule.CategoryName?.StartsWith(state.Category, StringComparison.OrdinalIgnoreCase) == true && providers.Contains(rule.ProviderName, StringComparer.Ordinal)).ToArray())
                {
                    options.Rules.Remove(rule);
                }

                foreach (string? provider in providers)
                {
                    options.Rules.Add(new LoggerFilterRule(provider, state.Category, level, filter: null));
                }
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            foreach ((_, _, ITimer timer) in _changes)
            {
                timer.Dispose();
            }

            _changes.Clear();
        }
    }

    private static bool IsOf(LogLevelState state, string category) => string.Equals(state.Category, category, StringComparison.OrdinalIgnoreCase);

    private void End(LogLevelState state, Action ended)
    {
        lock (_gate)
        {
            if (!_changes.Exists(change => ReferenceEquals(change.State, state)))
            {
                return;
            }

            Remove(state.Category);
        }

        Apply();
        ended();
    }

    private bool Remove(string category)
    {
        int index = _changes.FindIndex(change => IsOf(change.State, category));
        if (index < 0)
        {
            return false;
        }

        _changes[index].Timer.Dispose();
        _changes.RemoveAt(index);
        return true;
    }

    /// <summary>Has the filter computed anew. Outside of the lock: it reads the rules.</summary>
    private void Apply()
    {
        CancellationTokenSource last;
        lock (_gate)
        {
            last = _changed;
            _changed = new CancellationTokenSource();
        }

        last.Cancel();
    }
}
